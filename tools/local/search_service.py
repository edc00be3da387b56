"""The operator's own search service (`WEB_SEARCH_URL`).

It speaks SearXNG's JSON: `GET …/search?q=…&format=json` answers `{"results": [{"title", "url",
"content"}, …]}`. Its address is the operator's word, so it may be in a private network; where it
redirects to is not followed. Source: https://docs.searxng.org/dev/search_api.html
"""

import json
import time
from typing import Any
from urllib.parse import urlsplit

import httpx2
from django.conf import settings

from languages.stored import stored
from limits.tools import MAX_SEARCH_BYTES, MAX_SEARCH_CONNECT_S, MAX_SEARCH_S, MAX_SEARCH_SILENCE_S
from tools.errors import ToolError

NOT_SET = stored(
    "WEB_SEARCH_URL is not set: the address of a SearXNG, such as http://127.0.0.1:8888/search."
)
ODD_URL = stored("WEB_SEARCH_URL is no address that begins with http:// or https://.")
# What a model reads, and tells the person: each says who can do something about it.
DOWN = "the search service cannot be reached; an admin has to look whether it runs"
SLOW = "the search service did not answer in time; try again once, with fewer words"
NO_JSON_ALLOWED = (
    "the search service refuses to answer in JSON (403); an admin has to add `json` to "
    "`search: formats:` in its settings.yml, and restart it"
)
TOO_OFTEN = "the search service was asked too often (429); wait before you search again"
NOT_JSON = (
    "the search service did not answer in JSON; WEB_SEARCH_URL has to be the address of a "
    "SearXNG's search, with `json` among `search: formats:` in its settings.yml"
)
MOVED = "the search service redirects elsewhere; an admin has to set WEB_SEARCH_URL to that address"
TOO_LARGE = f"the search service answered with more than {MAX_SEARCH_BYTES:,} bytes"


def missing() -> str:
    """Why the web cannot be searched here, as a sentence for admins; "" if it can."""
    if not settings.WEB_SEARCH_URL:
        return NOT_SET
    try:
        parts = urlsplit(settings.WEB_SEARCH_URL)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_address = False
    return "" if is_address else ODD_URL


def answer(words: str) -> dict[str, Any]:
    """What the service answers to a query, unjudged but for being an object. Raises `ToolError`."""
    try:
        body = json.loads(_body_of(words))
    except (ValueError, RecursionError) as error:
        raise ToolError(NOT_JSON) from error
    if not isinstance(body, dict):
        raise ToolError(NOT_JSON)
    return body


def _body_of(words: str) -> bytes:
    if why := missing():
        raise ToolError(why.rstrip("."))
    until = time.monotonic() + MAX_SEARCH_S
    timeout = httpx2.Timeout(MAX_SEARCH_SILENCE_S, connect=MAX_SEARCH_CONNECT_S)
    headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
    try:
        with (
            httpx2.Client(timeout=timeout, headers=headers, trust_env=False) as client,
            client.stream("GET", _address(words)) as response,
        ):
            _judge(response)
            return _body(response, until)
    except httpx2.TimeoutException as error:
        raise ToolError(SLOW) from error
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
        raise ToolError(DOWN) from error


def _address(words: str) -> httpx2.URL:
    """What the operator wrote, `/search` if that is no more than a host, with the query."""
    url = httpx2.URL(settings.WEB_SEARCH_URL)
    if url.path in ("", "/"):
        url = url.copy_with(path="/search")
    return url.copy_merge_params({"q": words, "format": "json"})


def _judge(response: httpx2.Response) -> None:
    if response.is_redirect:
        raise ToolError(MOVED)
    known = {403: NO_JSON_ALLOWED, 429: TOO_OFTEN}
    if response.status_code in known:
        raise ToolError(known[response.status_code])
    if not response.is_success:
        raise ToolError(f"the search service answered with the status {response.status_code}")


def _body(response: httpx2.Response, until: float) -> bytes:
    body = bytearray()
    for piece in response.iter_bytes():
        body += piece
        if len(body) > MAX_SEARCH_BYTES:
            raise ToolError(TOO_LARGE)
        if time.monotonic() > until:
            raise ToolError(SLOW)
    return bytes(body)
