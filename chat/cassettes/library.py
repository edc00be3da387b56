"""Finding the recorded round that was asked with given messages, by hash, and the nearest one.

Every beginning of every recorded request has a hash, made of the one before it and the next entry.
So a request is found by one look-up, and what is nearest by as many as it has messages.
"""

import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import takewhile
from typing import Any

from chat.cassettes.entries import Entry, entries
from chat.cassettes.recorded import Cassette, Generation

# Attempts that a person or a crash ended: given only where there is no other.
ENDED_EARLY = ("cancelled", "superseded", "running")
QUOTED = 80  # characters
SAME = 20  # characters before a difference


@dataclass(frozen=True)
class Take:
    """A recorded attempt, and how people call it."""

    label: str
    generation: Generation


@dataclass(frozen=True)
class Difference:
    """The first thing in which a request differs from a recorded one; the texts are quotations."""

    message: int
    key: str
    recorded: str
    sent: str

    def __str__(self) -> str:
        return f"messages[{self.message}].{self.key}: recorded {self.recorded}, sent {self.sent}"


@dataclass(frozen=True)
class Unknown:
    """Nothing was recorded for a request; `nearest` is None if nothing was recorded at all."""

    nearest: Take | None = None
    difference: Difference | None = None

    @property
    def sentence(self) -> str:
        if self.nearest is None or self.difference is None:
            return "Nothing was recorded that could answer this: the cassette has no such rounds."
        return (
            f"No recorded round has these messages. The nearest is {self.nearest.label}; the first "
            f"difference is {self.difference}."
        )


class Library:
    """The rounds of a cassette. Attempts of the same messages are given in the order in which they
    were recorded, and from the first again when all were given. For any number of threads."""

    def __init__(self, cassette: Cassette) -> None:
        self.cassette = cassette
        self._takes: defaultdict[bytes, list[Take]] = defaultdict(list)
        self._beginnings: dict[bytes, Take] = {}
        self._given: Counter[bytes] = Counter()
        self._guard = threading.Lock()
        for take in _takes(cassette):
            self._add(take)

    def find(self, protocol: str, sent: dict[str, Any]) -> Take | Unknown:
        """The attempt to give now. Raises ValueError for a body without messages."""
        wanted = entries(protocol, sent)
        hashes = _hashes(protocol, wanted)
        takes = self._takes.get(hashes[-1])
        if takes is None:
            return self._nearest(protocol, wanted, hashes)
        fitting = _of_model(_worth_giving(takes), sent.get("model"))
        key = hashes[-1] + fitting[0].generation.model.encode(errors="replace")
        with self._guard:
            place = self._given[key]
            self._given[key] += 1
        return fitting[place % len(fitting)]

    def _add(self, take: Take) -> None:
        found = entries(take.generation.protocol, take.generation.sent)
        hashes = _hashes(take.generation.protocol, found)
        self._takes[hashes[-1]].append(take)
        for beginning in hashes:
            self._beginnings.setdefault(beginning, take)

    def _nearest(self, protocol: str, wanted: list[Entry], hashes: list[bytes]) -> Unknown:
        for same in range(len(wanted), -1, -1):
            take = self._beginnings.get(hashes[same])
            if take is not None:
                recorded = entries(protocol, take.generation.sent)
                return Unknown(take, _difference(same, recorded, wanted))
        return Unknown()


def _takes(cassette: Cassette) -> Iterator[Take]:
    for number, turn in enumerate(cassette.turns, 1):
        yield from (Take(f"turn {number}, a summary", one) for one in turn.summaries)
        for found in turn.rounds:
            for generation in found.generations:
                label = f"turn {number}, round {found.number}"
                if len(found.generations) > 1:
                    label += f", attempt {generation.attempt}"
                yield Take(label, generation)


def _hashes(protocol: str, found: Sequence[Entry]) -> list[bytes]:
    """The hash of every beginning, the empty one first."""
    hashes = [sha256(protocol.encode()).digest()]
    for entry in found:
        hashes.append(sha256(hashes[-1] + entry.written).digest())
    return hashes


def _worth_giving(takes: list[Take]) -> list[Take]:
    return [take for take in takes if take.generation.status not in ENDED_EARLY] or takes


def _of_model(takes: list[Take], model: Any) -> list[Take]:
    """Those of the model that is asked, if it was recorded; else those of any one."""
    chosen = [take for take in takes if take.generation.model == model]
    return chosen or [take for take in takes if take.generation.model == takes[0].generation.model]


def _difference(same: int, recorded: list[Entry], sent: list[Entry]) -> Difference:
    """Where two requests part after `same` equal entries."""
    if same >= len(recorded):
        return Difference(same, "role", "nothing more", repr(sent[same].role))
    if same >= len(sent):
        return Difference(same, "role", repr(recorded[same].role), "nothing more")
    old, new = recorded[same], sent[same]
    if old.role != new.role:
        return Difference(same, "role", repr(old.role), repr(new.role))
    if old.content != new.content:
        return Difference(same, "content", *_quoted(old.content, new.content))
    return Difference(same, "tool_calls", *_quoted(_written(old), _written(new)))


def _written(entry: Entry) -> str:
    return ", ".join(f"{name}({arguments})" for name, arguments in entry.calls) or "none"


def _quoted(old: str, new: str) -> tuple[str, str]:
    """Both texts from shortly before the first character in which they differ."""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))
    start = max(0, sum(1 for _ in alike) - SAME)
    return _quote(old, start), _quote(new, start)


def _quote(text: str, start: int) -> str:
    piece = text[start : start + QUOTED]
    before, after = "…" if start else "", "…" if start + QUOTED < len(text) else ""
    return repr(f"{before}{piece}{after}")
