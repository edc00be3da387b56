"""Which headers go on, in both directions (RFC 9110, 7.6.1; RFC 9112, 6).

The framing of a message is ours on both sides: `Transfer-Encoding` and `Content-Length` are never
copied from a request, and a request in which they are doubtful is refused.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

Raw = Iterable[tuple[bytes, bytes]]
Pairs = list[tuple[str, str]]

SESSION = "x-roundtrip-session"

_HOP_BY_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "http2-settings",
    }
)
# Who the caller is to us, and where from: no business of the provider. `expect` is answered here.
_OURS = frozenset(
    {
        *("authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie", "cookie2"),
        *("host", "content-length", "expect", "forwarded", "via", "x-real-ip", "true-client-ip"),
        *("accept-encoding", "cf-connecting-ip"),
        # Some servers obey these instead of the method and the path that were judged here.
        *("x-http-method-override", "x-http-method", "x-method-override"),
        *("x-original-url", "x-rewrite-url", "x-original-uri"),
    }
)
_OUR_PREFIXES = ("x-roundtrip-", "x-forwarded-")
# Answered to the caller by this server in its own name.
_NOT_PASSED_BACK = frozenset(
    {"set-cookie", "set-cookie2", "date", "server", "alt-svc", "strict-transport-security"}
)
# Encodings that the trace can read and in which a secret is found.
_READABLE_ENCODINGS = frozenset({"gzip", "x-gzip", "deflate", "identity"})
_LENGTH = re.compile(rb"[0-9]{1,15}")


class Framing(NamedTuple):
    """`length`: bytes of the body, None if it is chunked."""

    length: int | None


class Smuggled(Exception):
    """The end of the request's body is doubtful. The message says why."""


def framing_of(headers: Raw) -> Framing:
    """How long the body of a request is. Raises Smuggled."""
    lengths = [value for name, value in headers if name == b"content-length"]
    codings = [value for name, value in headers if name == b"transfer-encoding"]
    if codings and lengths:
        raise Smuggled("Content-Length beside Transfer-Encoding.")
    if len(lengths) > 1 or (lengths and not _LENGTH.fullmatch(lengths[0])):
        raise Smuggled("Content-Length is not one number.")
    if codings and [one.strip().lower() for one in codings] != [b"chunked"]:
        raise Smuggled("Transfer-Encoding is not “chunked”.")
    return Framing(None if codings else int(lengths[0]) if lengths else 0)


def upstream_headers(headers: Raw) -> Pairs:
    """The caller's headers that go to the provider, in their order, without any credentials."""
    pairs = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in headers]
    dropped = _HOP_BY_HOP | _OURS | _named_by_connection(pairs)
    passed = [
        (name, value)
        for name, value in pairs
        # Servers may read `_` as `-`, and so another header than the one that was judged here.
        if name not in dropped and not name.startswith(_OUR_PREFIXES) and "_" not in name
    ]
    return [*passed, ("accept-encoding", _encodings(pairs))]


def downstream_headers(headers: Raw) -> list[tuple[bytes, bytes]]:
    """The provider's headers that go back to the caller."""
    pairs = [(name.lower(), value) for name, value in headers]
    texts = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in pairs]
    dropped = _HOP_BY_HOP | _NOT_PASSED_BACK | _named_by_connection(texts)
    passed = [(n, v) for (n, v) in pairs if n.decode("latin-1") not in dropped]
    is_chunked = any(name == b"transfer-encoding" for name, _ in pairs)
    return [(n, v) for n, v in passed if not (is_chunked and n == b"content-length")]


def first(headers: Raw, name: bytes) -> str:
    """The value of the first header of this name; "" if there is none."""
    return next((value.decode("latin-1") for key, value in headers if key == name), "")


def _named_by_connection(pairs: Pairs) -> frozenset[str]:
    named = (value for name, value in pairs if name == "connection")
    options = {option.strip().lower() for value in named for option in value.split(",")}
    # Not what says what the body is: its loss would change the message.
    return frozenset(options - {"content-type", "content-encoding", "content-length"})


def _encodings(pairs: Pairs) -> str:
    """The caller's `Accept-Encoding`, without encodings that cannot be read here."""
    asked = [value for name, value in pairs if name == "accept-encoding"]
    options = [option.strip() for value in asked for option in value.split(",")]
    readable = [
        option
        for option in options
        if option.partition(";")[0].strip().lower() in _READABLE_ENCODINGS
    ]
    return ", ".join(readable) or "identity"
