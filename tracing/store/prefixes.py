"""What a process remembers of the bodies that it stored, so that of the next one only the new end
is cut, hashed and looked up.

The request of a round is that of the round before with messages at the end of a list. A `Boundary`
is a place behind one of its last messages: the hash of all bytes before it, and their entries in
the manifest. The hash of a whole body is computed anyway; if on the way it equals that of a
boundary, the bytes before are the same, and so are their entries.

Ordinals stay valid until blobs of the archive are deleted, which changes `Archive.swept`. That is
compared under the lock of the archive's row, and so is the ordinal of the last element before the
boundary that was used.
"""

import uuid
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Lock
from typing import Any, NamedTuple

from limits.traces import MAX_REMEMBERED_ARCHIVES
from tracing.store.manifests import Entries

# Boundaries of a body. A dialect that marks its last message, or merges into it, changes it in the
# next request: then an earlier one fits.
BOUNDARIES = 4


class Boundary(NamedTuple):
    """The end of an element of the list `section`.

    `digest` is the SHA-256 of the `length` bytes up to there, `entries` their manifest; `anchor`
    the hash of the element, whose ordinal is the last one.
    """

    length: int
    digest: bytes
    section: str
    entries: Entries
    anchor: bytes


@dataclass(frozen=True)
class Known:
    """Of the latest body of one stage: its last boundaries, in order, and the ordinals of the
    elements behind them, by hash."""

    boundaries: tuple[Boundary, ...] = ()
    ordinals: Mapping[bytes, int] = field(default_factory=dict)

    def match(self, body: bytes) -> "Match":
        """The boundaries that the body has too, and the running hash at the last of them."""
        view, running, at = memoryview(body), sha256(), 0
        matched: list[Boundary] = []
        before = running.copy()
        for boundary in self.boundaries:
            running.update(view[at : boundary.length])
            at = boundary.length
            if len(body) < at or running.digest() != boundary.digest:
                break
            matched.append(boundary)
            before = running.copy()
        return Match(tuple(matched), before)


class Match(NamedTuple):
    """`running` is a SHA-256 that has read the bytes up to the last of these boundaries."""

    boundaries: tuple[Boundary, ...]
    running: Any

    @property
    def last(self) -> Boundary | None:
        return self.boundaries[-1] if self.boundaries else None


def latest(boundaries: tuple[Boundary, ...]) -> tuple[Boundary, ...]:
    """Those that are worth being kept."""
    return boundaries[-BOUNDARIES:]


class Memory(NamedTuple):
    """Of one archive: what is known by stage, as of this value of `Archive.swept`."""

    swept: int | None
    stages: Mapping[str, Known]

    @property
    def ordinals(self) -> dict[bytes, int]:
        """Of the elements behind the boundaries, by hash."""
        ordinals: dict[bytes, int] = {}
        for known in self.stages.values():
            ordinals |= known.ordinals
        return ordinals


NOTHING = Memory(None, {})
_memories: "OrderedDict[uuid.UUID, Memory]" = OrderedDict()
_lock = Lock()


def recall(archive: uuid.UUID) -> Memory:
    with _lock:
        if archive in _memories:
            _memories.move_to_end(archive)
        return _memories.get(archive, NOTHING)


def remember(archive: uuid.UUID, swept: int | None, stages: Mapping[str, Known]) -> None:
    """Adds what a committed transaction has stored."""
    with _lock:
        before = _memories.pop(archive, NOTHING)
        kept = before.stages if before.swept == swept else {}
        _memories[archive] = Memory(swept, {**kept, **stages})
        while len(_memories) > MAX_REMEMBERED_ARCHIVES:
            _memories.popitem(last=False)


def forget(archive: uuid.UUID) -> None:
    with _lock:
        _memories.pop(archive, None)
