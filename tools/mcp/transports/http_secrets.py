"""The secrets in an HTTP request to a server, or to its authorization server."""

from collections.abc import Iterator, Mapping
from urllib.parse import parse_qsl

import httpx2

from tools.values.secrets import SHORTEST_SECRET, masked_texts

# Headers of MCP itself: the session's id, which traces name, and arguments of calls.
OF_MCP = ("mcp-", "last-event-id")
FORM = "application/x-www-form-urlencoded"
# Parameters of requests for tokens that are public (RFC 6749, 7521, 8707). The others count as
# secret: code, verifier, tokens, secrets of clients, assertions.
PUBLIC = frozenset(
    (
        *("grant_type", "response_type", "redirect_uri", "client_id", "scope", "resource"),
        *("audience", "client_assertion_type", "requested_token_type", "token_type_hint"),
    )
)


def sent_secrets(request: httpx2.Request, marks: Mapping[str, bool]) -> Iterator[str]:
    """Texts to mask in what comes back. `marks`: see `masked_texts`."""
    yield from masked_texts("", str(request.url))
    for name, value in request.headers.multi_items():
        if not name.lower().startswith(OF_MCP):
            yield from masked_texts(name, value, marks.get(name.lower()))
        if name.lower() == "cookie":
            for cookie in value.split("; "):
                yield from masked_texts(*cookie.partition("=")[::2])
    if request.headers.get("content-type", "").startswith(FORM):
        for name, value in parse_qsl(_content(request)):
            if name not in PUBLIC and len(value) >= SHORTEST_SECRET:
                yield value


def _content(request: httpx2.Request) -> str:
    try:
        return request.content.decode(errors="replace")
    except httpx2.RequestNotRead:
        return ""
