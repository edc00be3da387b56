"""Decompresses bodies by their `Content-Encoding`; they are stored as they came."""

import zlib
from collections.abc import Iterable, Sequence

_WINDOW_BITS = 47  # for zlib: gzip or zlib, by the header of the data
_CODINGS = frozenset({"gzip", "x-gzip", "deflate"})


def decode_content(body: bytes, headers: Iterable[Sequence[str]], max_bytes: int) -> bytes:
    """The first `max_bytes` of the decompressed body; the body itself if the headers (pairs of name
    and value) name no compression, or it is not compressed as they say."""
    if not any(name.lower() == "content-encoding" and value in _CODINGS for name, value in headers):
        return body
    try:
        return zlib.decompressobj(wbits=_WINDOW_BITS).decompress(body, max_bytes)
    except zlib.error:
        return body
