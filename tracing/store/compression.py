"""Compression of stored bytes: zstd, with a dictionary for short ones; raw where that is shorter.

A chat message has a few hundred bytes, too few for a compressor to learn from, and most of them are
the same in every message. So short bytes are compressed with a dictionary of typical text
(`typical_texts`), and bytes that repeat others with those as their dictionary: the *base*, without
which they cannot be read. The first byte names the format of the rest; every format that was ever
written stays readable.
"""

from collections import deque
from collections.abc import Iterator

from host.zstd import CompressionParameter, ZstdCompressor, ZstdDecompressor, ZstdDict, ZstdError
from limits.traces import MAX_STORED_BYTES
from tracing.store import typical_texts, varints

_RAW, _ZSTD, _ZSTD_FIRST, _ZSTD_SECOND, _ZSTD_BASE = range(5)
_LEVEL = 6
# The first bytes of a frame (RFC 8878, 3.1.1), which are not stored.
_MAGIC = bytes.fromhex("28b52ffd")
# Bytes. Up to this length the dictionary gains more than it costs.
_MAX_SHORT = 16_384
# Bytes. Up to this length nothing is gained.
_MAX_TINY = 16
# Bytes that are read from a stream at once.
_PART = 128 * 1024


def _options(level: int = _LEVEL) -> dict[int, int]:
    """Length and hash are stored beside the frame, so it needs neither."""
    return {
        CompressionParameter.compression_level: level,
        CompressionParameter.content_size_flag: 0,
        CompressionParameter.checksum_flag: 0,
        CompressionParameter.dict_id_flag: 0,
    }


class _Codec:
    """Compresses and decompresses. A compressor serves one thread at a time, hence the free list;
    a decompressor serves one frame."""

    def __init__(self, text: bytes | None) -> None:
        self._dictionary = None if text is None else ZstdDict(text, is_raw=True)
        self._compressors: deque[ZstdCompressor] = deque()

    def compress(self, content: bytes) -> bytes:
        try:
            compressor = self._compressors.pop()
        except IndexError:
            # Digested once for all compressors, at their level.
            digested = self._dictionary and self._dictionary.as_digested_dict
            compressor = ZstdCompressor(options=_options(), zstd_dict=digested)
        frame = _compressed(compressor, content)
        self._compressors.append(compressor)
        return frame

    def decompress(self, frame: bytes, size: int) -> bytes:
        return _decompressed(ZstdDecompressor(self._dictionary), frame, size)

    def stream(self, frame: bytes) -> Iterator[bytes]:
        return _stream(ZstdDecompressor(self._dictionary), frame)


def _compressed(compressor: ZstdCompressor, content: bytes) -> bytes:
    """The frame without its first bytes, which are the same in all."""
    return compressor.compress(content, ZstdCompressor.FLUSH_FRAME)[len(_MAGIC) :]


def _decompressed(decompressor: ZstdDecompressor, frame: bytes, size: int) -> bytes:
    """Raises ZstdError, also for content of another size."""
    content = decompressor.decompress(_MAGIC + frame, max_length=size + 1)
    if not decompressor.eof or len(content) != size:
        raise ZstdError("the size is not that of the content")
    return content


def _stream(decompressor: ZstdDecompressor, frame: bytes) -> Iterator[bytes]:
    rest = _MAGIC + frame
    while not decompressor.eof:
        part = decompressor.decompress(rest, max_length=_PART)
        rest = b""
        if part:
            yield part
        elif decompressor.needs_input:
            raise ZstdError("the frame ends too early")


_codecs = {
    _ZSTD: _Codec(None),
    _ZSTD_FIRST: _Codec(typical_texts.FIRST),
    _ZSTD_SECOND: _Codec(typical_texts.SECOND),
}


def pack(content: bytes) -> bytes:
    """`content` compressed, at most one byte longer than it is."""
    if len(content) <= _MAX_TINY:
        return b"%c%b" % (_RAW, content)
    kind = _ZSTD_SECOND if len(content) <= _MAX_SHORT else _ZSTD
    packed = b"%c%b%b" % (kind, varints.encode([len(content)]), _codecs[kind].compress(content))
    return packed if len(packed) <= len(content) else b"%c%b" % (_RAW, content)


def pack_with(base: bytes, content: bytes) -> bytes:
    """`content` compressed with a base."""
    dictionary = ZstdDict(typical_texts.SECOND + base, is_raw=True)
    frame = _compressed(ZstdCompressor(options=_options(), zstd_dict=dictionary), content)
    return b"%c%b%b" % (_ZSTD_BASE, varints.encode([len(content)]), frame)


def unpack(packed: bytes, base: bytes | None = None) -> bytes:
    """The inverse of `pack`, or, with the content of the base, of `pack_with`. Raises ValueError
    for bytes that neither wrote."""
    if packed[:1] == b"%c" % _RAW:
        return packed[1:]
    kind, size, frame = _frame(packed)
    try:
        if kind != _ZSTD_BASE:
            return _codecs[kind].decompress(frame, size)
        return _decompressed(_with_base(base), frame, size)
    except ZstdError as error:
        raise ValueError(str(error)) from error


def unpack_stream(packed: bytes, base: bytes | None = None) -> Iterator[bytes]:
    """The same in parts of bounded length. Raises ValueError, also after parts that were good."""
    if len(packed) <= _PART and packed[:1] not in (b"%c" % _ZSTD, b"%c" % _ZSTD_BASE):
        yield unpack(packed)
        return
    if packed[0] == _RAW:
        yield from (packed[at : at + _PART] for at in range(1, len(packed), _PART))
        return
    kind, _, frame = _frame(packed)
    try:
        if kind == _ZSTD_BASE:
            yield from _stream(_with_base(base), frame)
        else:
            yield from _codecs[kind].stream(frame)
    except ZstdError as error:
        raise ValueError(str(error)) from error


def _with_base(base: bytes | None) -> ZstdDecompressor:
    if base is None:
        raise ValueError("the base is missing")
    return ZstdDecompressor(ZstdDict(typical_texts.SECOND + base, is_raw=True))


def _frame(packed: bytes) -> tuple[int, int, bytes]:
    """The kind of a frame, the length of its content, and the frame."""
    kind = packed[0] if packed else -1
    if kind not in _codecs and kind != _ZSTD_BASE:
        raise ValueError("not something that was packed here")
    end = next((at for at in range(1, min(len(packed), 7)) if packed[at] < 128), 0)
    size = next(varints.decode(packed[1 : end + 1]), MAX_STORED_BYTES)
    if size >= MAX_STORED_BYTES:
        raise ValueError("the size is out of bounds")
    # `pack` writes none that does; it could demand any amount of memory (RFC 8878, 3.1.1.1.1).
    if packed[end + 1 : end + 2] > b"\x1f":
        raise ValueError("a frame that states its own length")
    return kind, size, packed[end + 1 :]
