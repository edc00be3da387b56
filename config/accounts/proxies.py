"""A proxy in front that nobody told the product of: then all people have the proxy's address."""

import logging
from functools import cache

from django.conf import settings
from django.http import HttpRequest

logger = logging.getLogger(__name__)


def warn_of_an_unknown_proxy(request: HttpRequest) -> None:
    """Warns once a process where `X-Forwarded-For` comes and TRUSTED_PROXY_COUNT is 0."""
    if not settings.ALLAUTH_TRUSTED_PROXY_COUNT and "X-Forwarded-For" in request.headers:
        _warn()


@cache
def _warn() -> None:
    logger.warning(
        "A request came with X-Forwarded-For, but TRUSTED_PROXY_COUNT is 0: sign-ins are limited "
        "by the proxy's address, which everybody behind it shares. Set TRUSTED_PROXY_COUNT to the "
        "number of proxies in front."
    )
