"""Compression of stored bytes: zstd, with a dictionary for short ones; raw where that is shorter.

A chat message has a few hundred bytes, too few for a compressor to learn from, and most of them are
the same in every message. So short bytes are compressed with a dictionary of typical text
(`typical_texts`), and bytes that repeat others with those as their dictionary: the *base*, without
which they cannot be read. The first byte names the format of the rest; every format that was ever
written stays readable.
"""

from collections import deque
from collections.abc import Iterator

import zstandard

from limits.traces import MAX_STORED_BYTES
from tracing.store import typical_texts, varints

_RAW, _ZSTD, _ZSTD_FIRST, _ZSTD_SECOND, _ZSTD_BASE = range(5)
_LEVEL = 6
# Bytes. Up to this length the dictionary gains more than it costs.
_MAX_SHORT = 16_384
# Bytes. Up to this length nothing is gained.
_MAX_TINY = 16
# Bytes that are read from a stream at once.
_PART = 128 * 1024


def _dictionary(text: bytes) -> zstandard.ZstdCompressionDict:
    return zstandard.ZstdCompressionDict(text, dict_type=zstandard.DICT_TYPE_RAWCONTENT)


def _parameters(size: int = 0, dictionary_size: int = 0) -> zstandard.ZstdCompressionParameters:
    """Length and hash are stored beside the frame, so it needs neither."""
    return zstandard.ZstdCompressionParameters.from_level(
        _LEVEL,
        source_size=size,
        dict_size=dictionary_size,
        format=zstandard.FORMAT_ZSTD1_MAGICLESS,
        write_content_size=False,
        write_checksum=False,
        write_dict_id=False,
    )


class _Codec:
    """Compresses and decompresses. A context of zstd serves one thread at a time, hence the free
    lists."""

    def __init__(self, text: bytes | None) -> None:
        self._parameters = _parameters()
        self._dictionary = None
        if text is not None:
            self._dictionary = _dictionary(text)
            self._dictionary.precompute_compress(level=_LEVEL)
        self._compressors: deque[zstandard.ZstdCompressor] = deque()
        self._decompressors: deque[zstandard.ZstdDecompressor] = deque()

    def compress(self, content: bytes) -> bytes:
        try:
            compressor = self._compressors.pop()
        except IndexError:
            compressor = zstandard.ZstdCompressor(
                dict_data=self._dictionary, compression_params=self._parameters
            )
        frame = compressor.compress(content)
        self._compressors.append(compressor)
        return frame

    def decompress(self, frame: bytes, size: int) -> bytes:
        try:
            decompressor = self._decompressors.pop()
        except IndexError:
            decompressor = _decompressor(self._dictionary)
        content = decompressor.decompress(frame, max_output_size=size)
        self._decompressors.append(decompressor)
        return content

    def stream(self, frame: bytes) -> Iterator[bytes]:
        return _stream(_decompressor(self._dictionary), frame)


def _decompressor(
    dictionary: zstandard.ZstdCompressionDict | None,
) -> zstandard.ZstdDecompressor:
    return zstandard.ZstdDecompressor(dict_data=dictionary, format=zstandard.FORMAT_ZSTD1_MAGICLESS)


def _stream(decompressor: zstandard.ZstdDecompressor, frame: bytes) -> Iterator[bytes]:
    with decompressor.stream_reader(frame) as reader:
        while part := reader.read(_PART):
            yield part


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
    text = typical_texts.SECOND + base
    compressor = zstandard.ZstdCompressor(
        dict_data=_dictionary(text), compression_params=_parameters(len(content), len(text))
    )
    frame = compressor.compress(content)
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
        return _with_base(base).decompress(frame, max_output_size=size)
    except zstandard.ZstdError as error:
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
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error


def _with_base(base: bytes | None) -> zstandard.ZstdDecompressor:
    if base is None:
        raise ValueError("the base is missing")
    return _decompressor(_dictionary(typical_texts.SECOND + base))


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
