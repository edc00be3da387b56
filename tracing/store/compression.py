"""Compression of stored bytes: zstd, with a dictionary for short ones; raw where that is shorter.

A chat message has a few hundred bytes, too few for a compressor to learn from, and most of them are
the same in every message. So short bytes are compressed with a dictionary of typical text. The
first byte names the format of the rest. **Stored bytes need that dictionary: never change
`_TYPICAL`.** A better one gets a new number.
"""

from collections import deque
from collections.abc import Iterator

import zstandard

from limits.traces import MAX_STORED_BYTES
from tracing.store import varints

_RAW, _ZSTD, _ZSTD_TYPICAL = range(3)
_LEVEL = 6
# Bytes. Up to this length the dictionary gains more than it costs.
_MAX_SHORT = 16_384
# Bytes that are read from a stream at once.
_PART = 128 * 1024

# The most frequent text is last, where zstd refers to it with the shortest offsets.
_TYPICAL = (
    b'{"error":{"message":"","type":"invalid_request_error","param":null,"code":null}}'
    b'"required":["query"],"additionalProperties":false}}},{"type":"function","function":{'
    b'"name":"","description":"","parameters":{"type":"object","properties":{"":{"type":"string",'
    b'"description":"","enum":["integer","number","boolean","array","items"]}},"required":["'
    b'"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":1,"prompt_tokens_details":'
    b'{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}\n\n'
    b'{"content":[{"type":"text","text":""}],"structuredContent":{},"isError":false}'
    b'{"message":{"role":"assistant","content":null},"errors":[],"origins":[]}'
    b'"model":"","stream":true,"stream_options":{"include_usage":true},"temperature":0,"tools":['
    b"data: [DONE]\n\n"
    b'data: {"id":"chatcmpl-","object":"chat.completion.chunk","created":1,"model":"","choices":['
    b'{"index":0,"delta":{},"logprobs":null,"finish_reason":"tool_calls"}]}\n\n'
    b'"finish_reason":"stop"}],"usage":null}\n\n'
    b'"delta":{"role":"assistant","content":"","reasoning_content":""},"finish_reason":null}]}\n\n'
    b'"delta":{"tool_calls":[{"index":0,"id":"call_","type":"function","function":{"name":"",'
    b'"arguments":""}}]}'
    b'data: {"id":"chatcmpl-","object":"chat.completion.chunk","created":1,"model":"","choices":['
    b'{"index":0,"delta":{"content":" "},"finish_reason":null}]}\n\n'
    b'{"role":"system","content":"You are a helpful assistant.'
    b'<tool_response>\\n\\n</tool_response>"}'
    b'{"role":"user","content":"<tool_call>\\n{\\"name\\": \\"'
    b'\\", \\"arguments\\": {}}\\n</tool_call>"}'
    b'{"role":"user","content":[{"type":"text","text":"'
    b'{"role":"tool","tool_call_id":"call_","content":"'
    b'{"role":"assistant","content":null,"tool_calls":[{"id":"call_","type":"function","function":'
    b'{"name":"","arguments":"{\\"query\\": \\"\\"}"}}]}'
    b'{"role":"user","content":""}{"role":"assistant","content":"'
)
_DICTIONARY = zstandard.ZstdCompressionDict(_TYPICAL, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
_DICTIONARY.precompute_compress(level=_LEVEL)


class _Codec:
    """Compresses and decompresses. A context of zstd serves one thread at a time, hence the free
    lists."""

    def __init__(self, dictionary: zstandard.ZstdCompressionDict | None) -> None:
        # Length and hash are stored beside the frame, so it needs neither.
        self._parameters = zstandard.ZstdCompressionParameters.from_level(
            _LEVEL,
            format=zstandard.FORMAT_ZSTD1_MAGICLESS,
            write_content_size=False,
            write_checksum=False,
            write_dict_id=False,
        )
        self._dictionary = dictionary
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
            decompressor = zstandard.ZstdDecompressor(
                dict_data=self._dictionary, format=zstandard.FORMAT_ZSTD1_MAGICLESS
            )
        content = decompressor.decompress(frame, max_output_size=size)
        self._decompressors.append(decompressor)
        return content

    def stream(self, frame: bytes) -> Iterator[bytes]:
        decompressor = zstandard.ZstdDecompressor(
            dict_data=self._dictionary, format=zstandard.FORMAT_ZSTD1_MAGICLESS
        )
        with decompressor.stream_reader(frame) as reader:
            while part := reader.read(_PART):
                yield part


_codecs = {_ZSTD: _Codec(None), _ZSTD_TYPICAL: _Codec(_DICTIONARY)}


def pack(content: bytes) -> bytes:
    """`content` compressed, at most one byte longer than it is."""
    kind = _ZSTD_TYPICAL if len(content) <= _MAX_SHORT else _ZSTD
    packed = b"%c%b%b" % (kind, varints.encode([len(content)]), _codecs[kind].compress(content))
    return packed if len(packed) <= len(content) else b"%c%b" % (_RAW, content)


def unpack(packed: bytes) -> bytes:
    """The inverse of `pack`. Raises ValueError for bytes that it did not write."""
    kind = packed[0] if packed else -1
    if kind == _RAW:
        return packed[1:]
    if kind not in _codecs:
        raise ValueError("not something that was packed here")
    size, start = _read_size(packed)
    # `pack` writes none that does; it could demand any amount of memory (RFC 8878, 3.1.1.1.1).
    if packed[start : start + 1] > b"\x1f":
        raise ValueError("a frame that states its own length")
    try:
        return _codecs[kind].decompress(packed[start:], size)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error


def unpack_stream(packed: bytes) -> Iterator[bytes]:
    """The same in parts of bounded length. Raises ValueError, also after parts that were good."""
    if len(packed) <= _PART and packed[:1] != b"%c" % _ZSTD:
        yield unpack(packed)
        return
    if packed[0] == _RAW:
        yield from (packed[at : at + _PART] for at in range(1, len(packed), _PART))
        return
    if packed[0] not in _codecs:
        raise ValueError("not something that was packed here")
    _, start = _read_size(packed)
    try:
        yield from _codecs[packed[0]].stream(packed[start:])
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error


def _read_size(packed: bytes) -> tuple[int, int]:
    """The length of the content, and where its frame begins."""
    end = next((at for at in range(1, min(len(packed), 7)) if packed[at] < 128), 0)
    size = next(varints.decode(packed[1 : end + 1]), MAX_STORED_BYTES)
    if size >= MAX_STORED_BYTES:
        raise ValueError("the size is out of bounds")
    return size, end + 1
