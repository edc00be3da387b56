"""Frames that the package `zstandard` wrote, up to Roundtrip 0.1: read as ever, written alike."""

import pytest

from host import zstd
from tracing.store import compression

MESSAGE = '{"role":"user","content":"What is 17 times 23? 你好"}'.encode()
LONG = b"".join(b'{"content":"%d"}' % (number % 7) for number in range(3000))
BASE = MESSAGE * 3 + b'{"role":"assistant","content":"391"}'

# Packed by zstandard 0.25.0 at level 6: without a dictionary, with the first and the second one,
# with a base.
PLAIN = (
    "01c8df0200305d0100a87b22636f6e74656e74223a2230227d31323334353608"
    "209063e3502f5607f2c94c96f2c92cb2209cad03"
)
FIRST = "023700001d0100e8576861742069732031372074696d65732032333f20e4bda0e5a5bd227d0100de5640"
SECOND = "033700000d0100a0697320313720732032333f20e4bda0e5a5bd227d03003771a29c585d20b11f10"
WITH_BASE = "04800200003d00000001007d266580"

OLDER = [
    (PLAIN, LONG, None),
    (FIRST, MESSAGE, None),
    (SECOND, MESSAGE, None),
    (WITH_BASE, BASE + MESSAGE, BASE),
]


@pytest.mark.parametrize(("frame", "content", "base"), OLDER)
def test_an_older_frame_is_read(frame: str, content: bytes, base: bytes | None) -> None:
    packed = bytes.fromhex(frame)

    assert compression.unpack(packed, base) == content
    assert b"".join(compression.unpack_stream(packed, base)) == content


def test_the_same_bytes_are_written_today() -> None:
    assert compression.pack(LONG).hex() == PLAIN
    assert compression.pack(MESSAGE).hex() == SECOND
    assert compression.pack_with(BASE, BASE + MESSAGE).hex() == WITH_BASE


def test_a_stored_frame_with_the_magic_number_before_it_is_one_of_zstd() -> None:
    head = 1 + 3  # the kind of the frame, and the length of its content
    frame = bytes.fromhex("28b52ffd") + bytes.fromhex(PLAIN)[head:]

    assert zstd.ZstdDecompressor().decompress(frame) == LONG


@pytest.mark.parametrize(("frame", "content", "base"), OLDER)
def test_a_frame_that_was_cut_is_refused(frame: str, content: bytes, base: bytes | None) -> None:
    packed = bytes.fromhex(frame)[:-1]

    with pytest.raises(ValueError, match="size"):
        compression.unpack(packed, base)


def test_a_stream_of_a_frame_that_was_cut_ends_with_an_error() -> None:
    with pytest.raises(ValueError, match="ends too early"):
        list(compression.unpack_stream(bytes.fromhex(PLAIN)[:-1]))
