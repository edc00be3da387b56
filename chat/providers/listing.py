"""Asks an endpoint for its models: one bounded `GET …/models`.

Redirects are not followed: they would send the key to another address.
"""

import time
from datetime import UTC, datetime
from urllib.parse import urlencode

import httpx2
from django.utils import timezone
from django.utils.translation import gettext

from chat.errors import Rejected
from chat.llm import failures
from chat.llm.errors import StatusFailure
from chat.llm.json_text import parse_json
from chat.llm.redaction import redact, redact_quote
from chat.models import Provider
from chat.providers import catalogue
from chat.providers.advice import advice
from chat.providers.catalogue import ListedModel
from languages.stored import shown
from limits.models import (
    MAX_MODEL_LIST_BYTES,
    MAX_MODEL_LIST_CONNECT_S,
    MAX_MODEL_LIST_S,
    MAX_MODEL_LIST_SILENCE_S,
)

ANTHROPIC_VERSION = "2023-06-01"
ANTHROPIC_PAGE = 1000


def refresh(provider: Provider) -> list[ListedModel]:
    """Asks the endpoint and stores its list. Raises Rejected; then the stored list stays."""
    models = ask(provider)
    provider.listed = [model.stored() for model in models]
    provider.listed_at = timezone.now()
    provider.save(update_fields=["listed", "listed_at"])
    return models


def stored(provider: Provider) -> list[ListedModel]:
    """The list that is stored."""
    return [ListedModel.from_stored(value) for value in provider.listed]


def ask(provider: Provider) -> list[ListedModel]:
    """The endpoint's models. Raises Rejected with advice."""
    url = _url(provider)
    try:
        status, response_headers, body = get(url, headers(provider))
    except httpx2.TimeoutException as error:
        raise Rejected(
            gettext("%(url)s did not answer in time. Check that the server is running.")
            % {"url": _host(url)}
        ) from error
    except (UnicodeEncodeError, httpx2.LocalProtocolError):
        raise Rejected(
            gettext(
                "The key has characters that an HTTP header cannot contain. Enter the key again."
            )
        ) from None
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        words = _words(error, provider.api_key)
        raise Rejected(
            gettext(
                "%(url)s could not be reached (%(words)s). Check that the server is running "
                "and that the base URL is right as seen from this machine."
            )
            % {"url": _host(url), "words": words}
        ) from None  # the error may quote the key
    if status != 200:
        raise Rejected(_refusal(provider, status, response_headers, body))
    return _read(url, redact(body, (provider.api_key,)))


def headers(provider: Provider) -> dict[str, str]:
    """The headers of a request, with the provider's key."""
    values = {"Accept": "application/json", "Accept-Encoding": "identity"}
    if provider.kind == Provider.Kind.ANTHROPIC:
        return values | {"x-api-key": provider.api_key, "anthropic-version": ANTHROPIC_VERSION}
    if provider.api_key:
        values["Authorization"] = f"Bearer {provider.api_key}"
    return values


def _url(provider: Provider) -> str:
    base = provider.endpoint.rstrip("/")
    if provider.kind != Provider.Kind.ANTHROPIC:
        return f"{base}/models"
    base = base.removesuffix("/v1")
    return f"{base}/v1/models?{urlencode({'limit': ANTHROPIC_PAGE})}"


def get(url: str, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
    """Status, headers by lower-case name, body. Raises httpx2's errors, and Rejected beyond the
    limits of size and time."""
    timeout = httpx2.Timeout(MAX_MODEL_LIST_SILENCE_S, connect=MAX_MODEL_LIST_CONNECT_S)
    until = time.monotonic() + MAX_MODEL_LIST_S
    body = bytearray()
    with (
        httpx2.Client(timeout=timeout, follow_redirects=False) as client,
        client.stream("GET", url, headers=headers) as response,
    ):
        for piece in response.iter_bytes():
            body += piece
            if len(body) > MAX_MODEL_LIST_BYTES:
                raise Rejected(
                    gettext("The answer has more than 5 MB and is not a list of models.")
                )
            if time.monotonic() > until:
                raise Rejected(
                    gettext("%(url)s did not finish its answer in time.") % {"url": _host(url)}
                )
        response_headers = {name.lower(): value for name, value in response.headers.items()}
        return response.status_code, response_headers, bytes(body)


def _read(url: str, body: bytes) -> list[ListedModel]:
    try:
        models = catalogue.read(parse_json(body.decode()))
    except (ValueError, RecursionError) as error:
        raise Rejected(
            gettext(
                "%(url)s did not answer with a list of models. Check the base URL; it usually "
                "ends in /v1. You can still add models by id."
            )
            % {"url": url}
        ) from error
    if not models:
        raise Rejected(gettext("%(url)s lists no models. Add one by its id.") % {"url": _host(url)})
    return models


def _refusal(provider: Provider, status: int, headers: dict[str, str], body: bytes) -> str:
    if 300 <= status < 400:
        return gettext("The endpoint redirects to another address. Enter that address as base URL.")
    if status in (404, 405, 501):
        return gettext(
            "This endpoint does not list its models (HTTP %(status)s). Add them by id."
        ) % {"status": status}
    failure = failures.status_failure(status, headers, body, datetime.now(UTC))
    sentence = redact_quote(str(failure), (provider.api_key,))
    return " ".join(shown(s) for s in (sentence, advice(StatusFailure.__name__, status)) if s)


def _words(error: Exception, key: str) -> str:
    text = str(error) or type(error).__name__
    return redact(text.encode(errors="replace"), (key,)).decode()[:200]


def _host(url: str) -> str:
    try:
        return httpx2.URL(url).netloc.decode()
    except httpx2.InvalidURL:
        return gettext("The base URL")
