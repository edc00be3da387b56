"""Detects a proxy that is not configured: every user would have the proxy's address."""

import logging
from functools import cache

from django.conf import settings
from django.http import HttpRequest

logger = logging.getLogger(__name__)


def warn_of_unknown_proxy(request: HttpRequest) -> None:
    """Logs a warning, once per process, if a request has `X-Forwarded-For` and TRUSTED_PROXY_COUNT
    is 0."""
    if not settings.ALLAUTH_TRUSTED_PROXY_COUNT and "X-Forwarded-For" in request.headers:
        _warn()


@cache
def _warn() -> None:
    logger.warning(
        "A request came with X-Forwarded-For, but TRUSTED_PROXY_COUNT is 0: sign-ins are limited "
        "by the proxy's address, which everybody behind it shares. Set TRUSTED_PROXY_COUNT to the "
        "number of proxies in front."
    )
