"""Finding the recorded round that was asked with given messages, by hash, and the nearest one.

Every beginning of every recorded request has a hash, made of the one before it and the next entry.
So a request is compared by one look-up, and what is nearest by as many as it has messages.
"""

import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import takewhile
from typing import Any

from chat.cassettes.compared_messages import ComparedMessage, compared_messages
from chat.cassettes.recorded import Cassette, CassetteGeneration

# Attempts that a person or a crash ended: played only if there is no other.
ENDED_EARLY = ("cancelled", "superseded", "running")
QUOTED = 80  # characters
SAME = 20  # characters before a difference


@dataclass(frozen=True)
class CassetteAttempt:
    """A recorded attempt with its label for people."""

    label: str
    generation: CassetteGeneration


@dataclass(frozen=True)
class MessageDifference:
    """The first difference between a request and a recorded one; the texts are quotes."""

    message: int
    key: str
    recorded: str
    sent: str

    def __str__(self) -> str:
        return f"messages[{self.message}].{self.key}: recorded {self.recorded}, sent {self.sent}"


@dataclass(frozen=True)
class NoMatch:
    """No attempt was recorded for a request. `nearest`: None if the cassette is empty."""

    nearest: CassetteAttempt | None = None
    difference: MessageDifference | None = None

    @property
    def sentence(self) -> str:
        if self.nearest is None or self.difference is None:
            return "Nothing was recorded that could answer this: the cassette has no such rounds."
        return (
            f"No recorded round has these messages. The nearest is {self.nearest.label}; the first "
            f"difference is {self.difference}."
        )


class Library:
    """The attempts of a cassette by their messages. Attempts for the same messages are played in
    the order of recording, and again from the first after the last. Thread-safe."""

    def __init__(self, cassette: Cassette) -> None:
        self.cassette = cassette
        self._attempts: defaultdict[bytes, list[CassetteAttempt]] = defaultdict(list)
        self._prefixes: dict[bytes, CassetteAttempt] = {}
        self._played: Counter[bytes] = Counter()
        self._guard = threading.Lock()
        for attempt in _attempts(cassette):
            self._add(attempt)

    def find(self, protocol: str, sent: dict[str, Any]) -> CassetteAttempt | NoMatch:
        """The attempt to play now. Raises ValueError for a body without messages."""
        wanted = compared_messages(protocol, sent)
        hashes = _hashes(protocol, wanted)
        attempts = self._attempts.get(hashes[-1])
        if attempts is None:
            return self._nearest(protocol, wanted, hashes)
        fitting = _of_model(_preferred(attempts), sent.get("model"))
        key = hashes[-1] + fitting[0].generation.model.encode(errors="replace")
        with self._guard:
            place = self._played[key]
            self._played[key] += 1
        return fitting[place % len(fitting)]

    def _add(self, attempt: CassetteAttempt) -> None:
        compared = compared_messages(attempt.generation.protocol, attempt.generation.sent)
        hashes = _hashes(attempt.generation.protocol, compared)
        self._attempts[hashes[-1]].append(attempt)
        for prefix in hashes:
            self._prefixes.setdefault(prefix, attempt)

    def _nearest(
        self, protocol: str, wanted: list[ComparedMessage], hashes: list[bytes]
    ) -> NoMatch:
        for same in range(len(wanted), -1, -1):
            attempt = self._prefixes.get(hashes[same])
            if attempt is not None:
                recorded = compared_messages(protocol, attempt.generation.sent)
                return NoMatch(attempt, _difference(same, recorded, wanted))
        return NoMatch()


def _attempts(cassette: Cassette) -> Iterator[CassetteAttempt]:
    for number, turn in enumerate(cassette.turns, 1):
        yield from (CassetteAttempt(f"turn {number}, a summary", one) for one in turn.summaries)
        for round_ in turn.rounds:
            for generation in round_.generations:
                label = f"turn {number}, round {round_.number}"
                if len(round_.generations) > 1:
                    label += f", attempt {generation.attempt}"
                yield CassetteAttempt(label, generation)


def _hashes(protocol: str, compared: Sequence[ComparedMessage]) -> list[bytes]:
    """The hash of every prefix, the empty one first."""
    hashes = [sha256(protocol.encode()).digest()]
    for message in compared:
        hashes.append(sha256(hashes[-1] + message.written).digest())
    return hashes


def _preferred(attempts: list[CassetteAttempt]) -> list[CassetteAttempt]:
    return [
        attempt for attempt in attempts if attempt.generation.status not in ENDED_EARLY
    ] or attempts


def _of_model(attempts: list[CassetteAttempt], model: Any) -> list[CassetteAttempt]:
    """The attempts of this model; if there are none, those of the first one's model."""
    chosen = [attempt for attempt in attempts if attempt.generation.model == model]
    return chosen or [
        attempt for attempt in attempts if attempt.generation.model == attempts[0].generation.model
    ]


def _difference(
    same: int, recorded: list[ComparedMessage], sent: list[ComparedMessage]
) -> MessageDifference:
    """The difference of two requests after `same` equal messages."""
    if same >= len(recorded):
        return MessageDifference(same, "role", "nothing more", repr(sent[same].role))
    if same >= len(sent):
        return MessageDifference(same, "role", repr(recorded[same].role), "nothing more")
    old, new = recorded[same], sent[same]
    if old.role != new.role:
        return MessageDifference(same, "role", repr(old.role), repr(new.role))
    if old.content != new.content:
        return MessageDifference(same, "content", *_quoted(old.content, new.content))
    return MessageDifference(same, "tool_calls", *_quoted(_calls_text(old), _calls_text(new)))


def _calls_text(entry: ComparedMessage) -> str:
    return ", ".join(f"{name}({arguments})" for name, arguments in entry.calls) or "none"


def _quoted(old: str, new: str) -> tuple[str, str]:
    """Quotes of both texts, from shortly before their first difference."""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))
    start = max(0, sum(1 for _ in alike) - SAME)
    return _quote(old, start), _quote(new, start)


def _quote(text: str, start: int) -> str:
    piece = text[start : start + QUOTED]
    before, after = "…" if start else "", "…" if start + QUOTED < len(text) else ""
    return repr(f"{before}{piece}{after}")
