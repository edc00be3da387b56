"""Blobs that are compressed with another blob of their archive, their base.

A tool's result is stored up to four times: as the result, as the text that the model is shown, in
the frames of its session, and as a message of the next request. Only the first of them is stored in
full. A base has no base itself, so that a blob is read with at most one other. Before a base is
deleted, the blobs that need it are packed in full.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from limits.traces import MAX_BASE_BYTES
from tracing.models import Blob
from tracing.store import compression

# Bytes. A shorter blob gains too little.
_MIN_CONTENT = 96
# Ordinals before a blob among which its base is looked for.
_NEAR = 16
# A base is taken if several of these samples of the blob occur in it.
_SAMPLES, _SAMPLE_BYTES, _MIN_HITS = 12, 8, 3
# A blob that its base makes hardly shorter is stored without, and can be a base itself.
_MIN_GAIN = 0.75

# Blobs that are packed again by one statement.
_RELEASED_AT_ONCE = 200


class Packed(NamedTuple):
    """The compressed bytes of a blob, and the ordinal of its base, if it needs one."""

    compressed: bytes
    base: int | None = None


class _Candidate(NamedTuple):
    ordinal: int
    content: bytes


class Packer:
    """Packs the new blobs of an archive in the order of their ordinals, from `first` on."""

    def __init__(self, archive_id: int, first: int) -> None:
        self._archive_id, self._first = archive_id, first
        self._here: list[_Candidate] = []
        self._earlier: list[_Candidate] | None = None

    def pack(self, ordinal: int, content: bytes) -> Packed:
        packed = compression.pack(content)
        if not _MIN_CONTENT <= len(content) <= MAX_BASE_BYTES:
            return Packed(packed)
        base = _most_alike(content, self._here) or _most_alike(content, self._stored())
        if base is not None:
            shorter = compression.pack_with(base.content, content)
            is_exact = compression.unpack(shorter, base.content) == content
            if is_exact and len(shorter) < _MIN_GAIN * len(packed):
                return Packed(shorter, base.ordinal)
        self._here.append(_Candidate(ordinal, content))
        return Packed(packed)

    def _stored(self) -> list[_Candidate]:
        """Blobs without a base among the latest of the archive."""
        if self._earlier is None:
            rows = Blob.objects.full_before(self._archive_id, self._first, self._first - _NEAR)
            self._earlier = list(_candidates(rows)) if self._first else []
        return self._earlier


def _candidates(rows: Iterable[tuple[int, int, bytes]]) -> Iterator[_Candidate]:
    for ordinal, size, packed in rows:
        try:
            if _MIN_CONTENT <= size <= MAX_BASE_BYTES:
                yield _Candidate(ordinal, compression.unpack(bytes(packed)))
        except ValueError:  # damaged
            continue


def _most_alike(content: bytes, candidates: list[_Candidate]) -> _Candidate | None:
    """The candidate with most samples of the content, if it has enough of them."""
    step = (len(content) - _SAMPLE_BYTES) / (_SAMPLES - 1)
    starts = [round(place * step) for place in range(_SAMPLES)]
    samples = [content[start : start + _SAMPLE_BYTES] for start in starts]
    most, chosen = _MIN_HITS - 1, None
    for candidate in reversed(candidates):
        hits = sum(sample in candidate.content for sample in samples)
        if hits > most:
            most, chosen = hits, candidate
    return chosen


@dataclass(frozen=True)
class Stored:
    """A blob as it is stored, and the compressed bytes of its base, if it needs one."""

    archive_id: int
    ordinal: int
    sha256: bytes
    compressed: bytes
    base: int | None
    base_compressed: bytes | None

    def content(self) -> bytes:
        """Checked against its hash. Raises ValueError."""
        content = compression.unpack(self.compressed, self._base_content())
        if sha256(content).digest() != self.sha256:
            raise ValueError("a blob is not what was recorded")
        return content

    def stream(self) -> Iterator[bytes]:
        """The content in parts, not checked. Raises ValueError."""
        return compression.unpack_stream(self.compressed, self._base_content())

    def _base_content(self) -> bytes | None:
        if self.base is None:
            return None
        if self.base_compressed is None:
            raise ValueError(f"blob {self.base}, the base of {self.ordinal}, is missing")
        return compression.unpack(self.base_compressed)


def read(rows: Iterable[tuple[Any, ...]]) -> Iterator[Stored]:
    """Blobs from rows of `with_bases`."""
    for archive_id, ordinal, digest, packed, base, base_packed in rows:
        base_compressed = None if base_packed is None else bytes(base_packed)
        yield Stored(archive_id, ordinal, bytes(digest), bytes(packed), base, base_compressed)


def release(archive_id: int, referenced: set[int]) -> None:
    """Packs the blobs of these ordinals in full whose base is not among them, so that it can be
    deleted. Raises ValueError if one is damaged."""
    blobs = Blob.objects.filter(archive_id=archive_id)
    pairs = blobs.filter(base__isnull=False).values_list("ordinal", "base")
    dependent = sorted(one for one, base in pairs if one in referenced and base not in referenced)
    for start in range(0, len(dependent), _RELEASED_AT_ONCE):
        batch = dependent[start : start + _RELEASED_AT_ONCE]
        rows = {row.ordinal: row for row in blobs.filter(ordinal__in=batch)}
        for stored in read(blobs.filter(ordinal__in=batch).with_bases()):
            row = rows[stored.ordinal]
            row.compressed, row.base = compression.pack(stored.content()), None
        Blob.objects.bulk_update(rows.values(), ["compressed", "base"])
