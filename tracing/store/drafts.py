"""A payload on its way to the database: what of it is cut anew, and what is known from the body
before."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from typing import Any, NamedTuple, TypedDict

from tracing.models import Payload, Span
from tracing.store import chunks, prefixes
from tracing.store.elements import GROWING, Cut, cut, cut_rest
from tracing.store.manifests import Entries
from tracing.store.prefixes import Boundary, Known


class Details(TypedDict, total=False):
    """Optional columns of a payload.

    `chunks`: of each arrival the milliseconds since the request was sent, and the length.
    `attributes`: such as method, URL and headers. `redacted`: a secret was replaced in the bytes;
    `sha256_sent` is the hash of the bytes on the wire.
    """

    chunks: Sequence[chunks.Chunk]
    attributes: dict[str, Any]
    redacted: bool
    sha256_sent: bytes | None


# A span, the stage, its bytes.
Record = tuple[Span, str, bytes, Details]


class _Mark(NamedTuple):
    """The end of an element of a list: the count of elements of the cut up to there, and length and
    SHA-256 of the body up to there."""

    place: int
    length: int
    digest: bytes


@dataclass(frozen=True)
class Draft:
    """`cut` and `hashes` are of what follows the last of `boundaries`, or of the whole body."""

    record: Record
    boundaries: tuple[Boundary, ...]
    cut: Cut
    hashes: list[bytes]
    marks: list[_Mark]
    sha256: bytes

    @property
    def start(self) -> Entries:
        return self.boundaries[-1].entries if self.boundaries else Entries()

    def contents(self) -> Iterator[tuple[bytes, bytes]]:
        """Hash and content of each element."""
        return zip(self.hashes, (element.content for element in self.cut.elements), strict=True)

    def finish(self, ordinals: Mapping[bytes, int]) -> tuple[Payload, Known]:
        """The row, and what is to be remembered for the next body of its stage."""
        entries, at, boundaries = self.start, 0, list(self.boundaries)
        for mark in self.marks:
            entries, at = self._extended(entries, at, mark.place, ordinals), mark.place
            section, anchor = self.cut.elements[at - 1].section, self.hashes[at - 1]
            boundaries.append(Boundary(mark.length, mark.digest, section, entries, anchor))
        rest = {digest: ordinals[digest] for digest in self.hashes[at:]}
        entries = self._extended(entries, at, len(self.hashes), ordinals)
        known = Known(prefixes.latest(tuple(boundaries)), rest)
        return self._payload(entries), known

    def _extended(
        self, entries: Entries, start: int, end: int, ordinals: Mapping[bytes, int]
    ) -> Entries:
        sections = [element.section for element in self.cut.elements[start:end]]
        hashes = self.hashes[start:end]
        return entries.extended(
            self.cut.gaps[start:end], [ordinals[digest] for digest in hashes], sections
        )

    def _payload(self, entries: Entries) -> Payload:
        span, stage, body, details = self.record
        return Payload(
            span=span,
            stage=stage,
            sha256=self.sha256,
            size=len(body),
            manifest=entries.packed(self.cut.gaps[-1]),
            chunks=chunks.encode(details.get("chunks", ())),
            attributes=details.get("attributes") or {},
            redacted=details.get("redacted", False),
            sha256_sent=details.get("sha256_sent"),
        )


def draft(record: Record, known: Known) -> Draft:
    body = record[2]
    match = known.match(body)
    if match.last is not None:
        try:
            rest = cut_rest(body[match.last.length :], match.last.section)
        except (ValueError, RecursionError):  # the body as a whole is none that is cut
            match = Known().match(body)
    if match.last is None:
        rest = cut(body)
    hashes = [sha256(element.content).digest() for element in rest.elements]
    marks, digest = _marks(body, match, rest)
    return Draft(record, match.boundaries, rest, hashes, marks, digest)


def _marks(body: bytes, match: prefixes.Match, rest: Cut) -> tuple[list[_Mark], bytes]:
    """The ends of the last elements of growing lists, and the hash of the body."""
    view, running = memoryview(body), match.running
    at = match.last.length if match.last else 0
    marks = []
    for count, length in _ends(rest, at):
        running.update(view[at:length])
        at = length
        marks.append(_Mark(count, length, running.digest()))
    running.update(view[at:])
    return marks, running.digest()


def _ends(rest: Cut, at: int) -> list[tuple[int, int]]:
    ends = []
    for count, (gap, element) in enumerate(zip(rest.gaps, rest.elements, strict=False), 1):
        at += len(gap) + len(element.content)
        if element.section in GROWING:
            ends.append((count, at))
    return ends[-prefixes.BOUNDARIES :]


def all_contents(drafts: Sequence[Draft]) -> dict[bytes, bytes]:
    """The contents of the elements that are not before a boundary, by hash."""
    return dict(chain.from_iterable(one.contents() for one in drafts))
