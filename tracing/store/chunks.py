"""The arrivals of a response's bytes: (milliseconds since the request was sent, length) of each."""

from collections.abc import Sequence
from itertools import accumulate, pairwise

from tracing.store import compression, varints

Chunk = tuple[float, int]


def encode(chunks: Sequence[Chunk]) -> bytes:
    """Times are kept in microseconds: two or three bytes a chunk, none for no chunk."""
    if not chunks:
        return b""
    times = [round(offset * 1000) for offset, _ in chunks]
    waits = [varints.encode_signed(after - before) for before, after in pairwise([0, *times])]
    lengths = [length for _, length in chunks]
    return compression.pack(varints.encode([*waits, *lengths]))


def decode(packed: bytes) -> list[Chunk]:
    """The inverse of `encode`. Raises ValueError for bytes that it did not write."""
    if not packed:
        return []
    numbers = list(varints.decode(compression.unpack(packed)))
    half = len(numbers) // 2
    times = accumulate(map(varints.decode_signed, numbers[:half]))
    return [(time / 1000, length) for time, length in zip(times, numbers[half:], strict=True)]
