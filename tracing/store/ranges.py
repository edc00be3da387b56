"""The bytes of a payload by ranges, so that a body of 20 MB is never in memory at once.

`payloads.load` gives the whole body, checked. Here a range is put together from the blobs that it
touches; a large blob is decompressed as a stream, and the bytes outside the range are dropped.
"""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import accumulate

from languages.stored import stored
from tracing.errors import PayloadCorrupt
from tracing.models import Blob, Payload
from tracing.store import bases, payloads


@dataclass(frozen=True)
class BodySegment:
    """A range of the body: the bytes of a gap, or those of the blob with this ordinal."""

    start: int
    size: int
    gap: bytes = b""
    ordinal: int | None = None
    section: str = ""

    @property
    def end(self) -> int:
        return self.start + self.size


@dataclass(frozen=True)
class Inspection:
    """What is known of a body that was read to its end."""

    is_text: bool


class Body:
    """A payload's bytes. Every method raises PayloadCorrupt."""

    def __init__(self, payload: Payload) -> None:
        self.payload = payload
        self.size = payload.size
        self._archive_id = payload.span.trace.archive_id

    @cached_property
    def segments(self) -> list[BodySegment]:
        """The body from its beginning to its end, in at most two queries."""
        manifest = payloads.read_manifest(self.payload)
        sizes = payloads.blob_sizes(self._archive_id, manifest.ordinals)
        drafts: list[tuple[bytes, int | None, str]] = []
        entries = zip(manifest.gaps, manifest.ordinals, manifest.sections, strict=False)
        for gap, ordinal, section in entries:
            drafts += [(gap, None, ""), (b"", ordinal, section)]
        drafts.append((manifest.gaps[-1], None, ""))
        lengths = [
            len(gap) if ordinal is None else self._blob_size(sizes, ordinal)
            for gap, ordinal, _ in drafts
        ]
        starts = accumulate(lengths, initial=0)
        return [
            BodySegment(start, length, *draft)
            for start, length, draft in zip(starts, lengths, drafts, strict=False)
            if length
        ]

    def read(self, start: int, end: int) -> bytes:
        """The bytes from `start` up to `end`, or the end of the body."""
        return b"".join(self.stream(start, end))

    def stream(self, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """The same, in parts of at most about 128 KB."""
        stop = self.size if end is None else end
        for segment in self.segments:
            if segment.end > start and segment.start < stop:
                yield from _within(self._contents(segment), segment.start, start, stop)

    def examine(self) -> Inspection:
        """Reads the whole body and checks it against its hash."""
        digest, decoder = sha256(), codecs.getincrementaldecoder("utf-8")()
        is_text = True
        for part in self.stream():
            digest.update(part)
            is_text = is_text and _decodes(decoder, part)
        if digest.digest() != bytes(self.payload.sha256):
            raise self._corrupt(stored("the bytes are not those that were recorded"))
        return Inspection(is_text and _decodes(decoder, b"", final=True))

    def _contents(self, segment: BodySegment) -> Iterator[bytes]:
        if segment.ordinal is None:
            yield segment.gap
            return
        rows = Blob.objects.filter(archive_id=self._archive_id, ordinal=segment.ordinal)
        blob = next(bases.read(rows.with_bases()), None)
        if blob is None:
            raise self._corrupt(stored("blob %(ordinal)s is missing", ordinal=segment.ordinal))
        try:
            yield from blob.stream()
        except ValueError as error:
            raise self._corrupt(str(error)) from error

    def _blob_size(self, sizes: dict[int, int], ordinal: int) -> int:
        if ordinal not in sizes:
            raise self._corrupt(stored("blob %(ordinal)s is missing", ordinal=ordinal))
        return sizes[ordinal]

    def _corrupt(self, reason: str) -> PayloadCorrupt:
        return PayloadCorrupt(reason, self.payload.span_id, self.payload.stage)


def _within(contents: Iterator[bytes], at: int, start: int, end: int) -> Iterator[bytes]:
    """The bytes of `contents`, which begin at offset `at`, from `start` up to `end`."""
    for part in contents:
        if at >= end:
            return
        inside = part[max(0, start - at) : end - at]
        if inside:
            yield inside
        at += len(part)


def _decodes(decoder: codecs.IncrementalDecoder, part: bytes, final: bool = False) -> bool:
    """Whether this is text: UTF-8 without U+0000."""
    try:
        return "\0" not in decoder.decode(part, final)
    except UnicodeDecodeError:
        return False
