"""The smallest files that are what they say, for tests."""

import struct
import zlib


def png(width: int = 1, height: int = 1) -> bytes:
    """A real one for 1 × 1; for other sizes the header only."""
    header = _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    pixels = _chunk(b"IDAT", zlib.compress(b"\0\x7f"))
    return b"\x89PNG\r\n\x1a\n" + header + pixels + _chunk(b"IEND", b"")


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def gif(width: int = 1, height: int = 1) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\x80\0\0" + b"\0" * 7 + b";"


def jpeg(width: int = 1, height: int = 1) -> bytes:
    """With a segment and fill bytes before the frame header."""
    comment = b"\xff\xfe\0\x04hi"
    frame = b"\xff\xff\xc0\0\x0b\x08" + struct.pack(">HH", height, width) + b"\x01\x01\x11\0"
    return b"\xff\xd8" + comment + frame + b"\xff\xd9"


def webp(width: int = 1, height: int = 1, form: str = "VP8 ") -> bytes:
    """In one of its three forms."""
    bodies = {
        "VP8 ": b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height),
        "VP8L": b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14),
        "VP8X": b"\0\0\0\0"
        + (width - 1).to_bytes(3, "little")
        + (height - 1).to_bytes(3, "little"),
    }
    body = bodies[form]
    chunk = form.encode() + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", 4 + len(chunk)) + b"WEBP" + chunk
