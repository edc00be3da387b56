"""Bodies that came compressed: kept as they came, and unpacked to be read."""

import zlib
from collections.abc import Iterable, Sequence

_EITHER = 47  # for zlib: gzip or zlib, whichever its header says
_PACKED = frozenset({"gzip", "x-gzip", "deflate"})


def unpacked(body: bytes, headers: Iterable[Sequence[str]], most: int) -> bytes:
    """The body, or at most so many bytes of what its `Content-Encoding` makes of it.

    `headers` are pairs. A body that is not packed as they say is given as it is.
    """
    if not any(name.lower() == "content-encoding" and value in _PACKED for name, value in headers):
        return body
    try:
        return zlib.decompressobj(wbits=_EITHER).decompress(body, most)
    except zlib.error:
        return body
