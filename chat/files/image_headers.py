"""Type and size of an image, from its header. No pixel is decoded: no decompression bomb."""

import struct
from collections.abc import Callable
from dataclasses import dataclass

from limits.chat import MAX_JPEG_SEGMENTS

_JPEG_START_OF_FRAME = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_WITHOUT_LENGTH = frozenset({0x01, *range(0xD0, 0xD8)})


@dataclass(frozen=True)
class ImageHeader:
    """`width` and `height` are pixels, at least 1."""

    media_type: str
    width: int
    height: int


def read_header(content: bytes) -> ImageHeader | None:
    """The header of a PNG, JPEG, GIF or WebP image; None for other bytes.

    Raises ValueError if it begins like one and has no size.
    """
    for is_kind, media_type, read_size in _KINDS:
        if is_kind(content):
            return _header(media_type, content, read_size)
    return None


def _header(
    media_type: str, content: bytes, read_size: Callable[[bytes], tuple[int, int]]
) -> ImageHeader:
    try:
        width, height = read_size(content)
    except (struct.error, IndexError) as error:
        raise ValueError("the header is cut off") from error
    if not width or not height:
        raise ValueError("the image has no pixels")
    return ImageHeader(media_type, width, height)


def _png_size(content: bytes) -> tuple[int, int]:
    """PNG (ISO/IEC 15948), 11.2.2: IHDR is the first chunk."""
    if content[12:16] != b"IHDR":
        raise ValueError("no IHDR")
    width, height = struct.unpack_from(">II", content, 16)
    return width, height


def _gif_size(content: bytes) -> tuple[int, int]:
    """GIF89a, 18: the logical screen descriptor."""
    width, height = struct.unpack_from("<HH", content, 6)
    return width, height


def _jpeg_size(content: bytes) -> tuple[int, int]:
    """JPEG (ITU T.81), B.2.2: the first frame header, after segments with a length field."""
    at = 2
    for _ in range(MAX_JPEG_SEGMENTS):
        if content[at] != 0xFF:
            raise ValueError("no marker where one must be")
        marker = content[at + 1]
        if marker == 0xFF:  # a fill byte
            at += 1
        elif marker in _JPEG_WITHOUT_LENGTH:
            at += 2
        elif marker in _JPEG_START_OF_FRAME:
            height, width = struct.unpack_from(">HH", content, at + 5)
            return width, height
        else:
            at += 2 + struct.unpack_from(">H", content, at + 2)[0]
    raise ValueError("no frame header")


def _webp_size(content: bytes) -> tuple[int, int]:
    """WebP (RFC 9649), 2.5 to 2.7, and RFC 6386, 9.1 for the lossy form."""
    kind = content[12:16]
    if kind == b"VP8X":
        return _little(content, 24) + 1, _little(content, 27) + 1
    if kind == b"VP8L" and content[20] == 0x2F:
        (bits,) = struct.unpack_from("<I", content, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 " and content[23:26] == b"\x9d\x01\x2a":
        width, height = struct.unpack_from("<HH", content, 26)
        return width & 0x3FFF, height & 0x3FFF
    raise ValueError("no picture that is known")


def _little(content: bytes, at: int) -> int:
    """An integer of three bytes, little-endian."""
    return content[at] | content[at + 1] << 8 | content[at + 2] << 16


_KINDS: tuple[tuple[Callable[[bytes], bool], str, Callable[[bytes], tuple[int, int]]], ...] = (
    (lambda content: content.startswith(b"\x89PNG\r\n\x1a\n"), "image/png", _png_size),
    (lambda content: content.startswith(b"\xff\xd8\xff"), "image/jpeg", _jpeg_size),
    (lambda content: content.startswith((b"GIF87a", b"GIF89a")), "image/gif", _gif_size),
    (
        lambda content: content.startswith(b"RIFF") and content[8:12] == b"WEBP",
        "image/webp",
        _webp_size,
    ),
)
