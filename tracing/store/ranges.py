"""The bytes of a payload by ranges, so that 20 MB are never in memory at once.

`payloads.load` gives all of them, checked. Here what is asked for is put together from the blobs
that it touches; a large one is unpacked as a stream, and what is not wanted of it dropped.
"""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import accumulate

from tracing.errors import PayloadCorrupt
from tracing.models import Blob, Payload
from tracing.store import compression, payloads


@dataclass(frozen=True)
class Piece:
    """A stretch of the body: the bytes of a gap, or a blob's ordinal."""

    start: int
    size: int
    gap: bytes = b""
    ordinal: int | None = None
    section: str = ""

    @property
    def end(self) -> int:
        return self.start + self.size


@dataclass(frozen=True)
class Examined:
    """What is known of a body that was read to its end."""

    is_text: bool


class Body:
    """A payload's bytes. Every method raises PayloadCorrupt for what cannot be had."""

    def __init__(self, payload: Payload) -> None:
        self.payload = payload
        self.size = payload.size
        self._archive_id = payload.span.trace.archive_id

    @cached_property
    def pieces(self) -> list[Piece]:
        """The body from its beginning to its end, with two queries at most."""
        manifest = payloads.read_manifest(self.payload)
        sizes = payloads.blob_sizes(self._archive_id, manifest.ordinals)
        drafts: list[tuple[bytes, int | None, str]] = []
        entries = zip(manifest.gaps, manifest.ordinals, manifest.sections, strict=False)
        for gap, ordinal, section in entries:
            drafts += [(gap, None, ""), (b"", ordinal, section)]
        drafts.append((manifest.gaps[-1], None, ""))
        lengths = [
            len(gap) if ordinal is None else self._known(sizes, ordinal)
            for gap, ordinal, _ in drafts
        ]
        starts = accumulate(lengths, initial=0)
        return [
            Piece(start, length, *draft)
            for start, length, draft in zip(starts, lengths, drafts, strict=False)
            if length
        ]

    def read(self, start: int, end: int) -> bytes:
        """The bytes from `start` up to `end`, as far as there are any."""
        return b"".join(self.stream(start, end))

    def stream(self, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """The same, in pieces of at most about 128 KB."""
        stop = self.size if end is None else end
        for piece in self.pieces:
            if piece.end > start and piece.start < stop:
                yield from _within(self._contents(piece), piece.start, start, stop)

    def examine(self) -> Examined:
        """Reads all of it: whether it is intact, and text."""
        digest, decoder = sha256(), codecs.getincrementaldecoder("utf-8")()
        is_text = True
        for some in self.stream():
            digest.update(some)
            is_text = is_text and _decodes(decoder, some)
        if digest.digest() != bytes(self.payload.sha256):
            raise self._corrupt("the bytes are not those that were recorded")
        return Examined(is_text and _decodes(decoder, b"", final=True))

    def _contents(self, piece: Piece) -> Iterator[bytes]:
        if piece.ordinal is None:
            yield piece.gap
            return
        rows = Blob.objects.filter(archive_id=self._archive_id, ordinal=piece.ordinal)
        packed = rows.values_list("compressed", flat=True).first()
        if packed is None:
            raise self._corrupt(f"blob {piece.ordinal} is missing")
        try:
            yield from compression.unpack_stream(bytes(packed))
        except ValueError as error:
            raise self._corrupt(str(error)) from error

    def _known(self, sizes: dict[int, int], ordinal: int) -> int:
        if ordinal not in sizes:
            raise self._corrupt(f"blob {ordinal} is missing")
        return sizes[ordinal]

    def _corrupt(self, reason: str) -> PayloadCorrupt:
        return PayloadCorrupt(reason, self.payload.span_id, self.payload.stage)


def _within(contents: Iterator[bytes], at: int, start: int, end: int) -> Iterator[bytes]:
    """What of `contents`, which begin at `at`, lies between `start` and `end`."""
    for some in contents:
        if at >= end:
            return
        wanted = some[max(0, start - at) : end - at]
        if wanted:
            yield wanted
        at += len(some)


def _decodes(decoder: codecs.IncrementalDecoder, some: bytes, final: bool = False) -> bool:
    try:
        return "\0" not in decoder.decode(some, final)
    except UnicodeDecodeError:
        return False
