"""What the trace page shows, gathered: the rounds with their bars, and the chosen round."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from urllib.parse import urlencode

from django.utils import timezone

from tracing.calls import Call, read_calls
from tracing.facts import generation_facts, generation_notes
from tracing.journal import Round
from tracing.models import Span, Trace
from tracing.stages import PROMPTED, Stage, Wish, generation_before, read_stages
from tracing.stretches import retry_wait
from tracing.waterfall import Bar, Scale, scale


@dataclass(frozen=True)
class Lane:
    """A span with its bars, alone on a line."""

    span: Span
    bars: list[Bar]
    elapsed: timedelta | None
    is_last: bool


@dataclass(frozen=True)
class RoundLine:
    """A round in the list: all its bars on one line, in the turn's time."""

    round: Round
    bars: list[Bar]
    elapsed: timedelta | None


@dataclass(frozen=True)
class RoundPage:
    """The chosen round and attempt, and where one can step from here."""

    trace: Trace
    round: Round
    numbers: list[int]
    generation: Span | None
    lanes: list[Lane]
    length: timedelta
    stages: list[Stage]
    calls: list[Call]
    wish: Wish
    elapsed: timedelta | None

    @property
    def first(self) -> int:
        return self.numbers[0]

    @property
    def previous(self) -> int:
        return self.numbers[max(0, self._place - 1)]

    @property
    def next(self) -> int:
        return self.numbers[min(len(self.numbers) - 1, self._place + 1)]

    @property
    def last(self) -> int:
        return self.numbers[-1]

    @property
    def has_prompt(self) -> bool:
        """Whether the request can be shown as the text that a model finally reads."""
        return bool(self.generation and self.generation.attributes.get("dialect") in PROMPTED)

    @property
    def is_earlier_attempt(self) -> bool:
        return self.generation is not None and self.generation != self.round.generations[-1]

    def place(self, **changes: str | int) -> str:
        """The query of this place with something changed. Attempt and views stay, what is
        unfolded and which page of the chunks is seen do not."""
        kept: dict[str, str | int] = {"round": self.round.number}
        if self.generation is not None and self.is_earlier_attempt:
            kept["attempt"] = self.generation.number
        query = {**kept, **self.wish.kept, **changes}
        return "?" + urlencode({name: value for name, value in query.items() if value != ""})

    @property
    def views(self) -> str:
        """What keeps how stages are shown in a link to another round."""
        return "".join(f"&{name}={value}" for name, value in self.wish.kept.items())

    @property
    def waits(self) -> bool:
        """Whether an attempt was, or is to be, made again after a while."""
        return any(map(retry_wait, self.round.generations))

    @property
    def parallel(self) -> bool:
        """Whether a call began before another one had ended."""
        times = sorted((c.span.started, c.span.ended) for c in self.calls if c.span.started)
        return any(end is None or end > start for (_, end), (start, _) in pairwise(times))

    @property
    def facts(self) -> list[tuple[str, str]]:
        return generation_facts(self.generation) if self.generation else []

    @property
    def notes(self) -> list[str]:
        return generation_notes(self.generation) if self.generation else []

    @property
    def _place(self) -> int:
        return self.numbers.index(self.round.number)


@dataclass(frozen=True)
class TracePage:
    trace: Trace
    lines: list[RoundLine]
    calls: int
    tokens_in: int
    tokens_out: int
    elapsed: timedelta
    failure: "Failure | None"
    version: str


@dataclass(frozen=True)
class Failure:
    """What ended the turn, and the generation whose bytes tell more."""

    sentence: str
    round: Round | None = None
    generation: Span | None = None


def trace_page(trace: Trace, rounds: list[Round], version: str = "") -> TracePage:
    now = timezone.now()
    elapsed = trace.elapsed(now)
    turn = Scale(trace.started, max(elapsed, timedelta(milliseconds=1)))
    return TracePage(
        trace=trace,
        lines=[_line(found, turn, now) for found in rounds],
        calls=sum(len(found.calls) for found in rounds),
        tokens_in=sum(found.tokens_in for found in rounds),
        tokens_out=sum(found.tokens_out for found in rounds),
        elapsed=elapsed,
        failure=_failure(trace, rounds),
        version=version,
    )


def round_page(
    trace: Trace, found: Round, numbers: list[int], attempt: str, wish: Wish
) -> RoundPage:
    now = timezone.now()
    generation = _attempt(found, attempt)
    before = generation_before(trace, found.number)
    window = scale([found.span, *found.spans], now)
    return RoundPage(
        trace=trace,
        round=found,
        numbers=numbers,
        generation=generation,
        lanes=[
            Lane(span, window.bars(span, now), span.elapsed(now), span in found.generations[-1:])
            for span in found.spans
        ],
        length=window.length,
        stages=read_stages(generation, before, wish) if generation else [],
        calls=read_calls(found.calls, now),
        wish=wish,
        elapsed=found.span.elapsed(now),
    )


def opening_round(trace: Trace, numbers: list[int]) -> int | None:
    """Where a page begins that names no round: where it failed or runs, else at the first."""
    if not numbers:
        return None
    return numbers[0] if trace.status == Trace.Status.SUCCEEDED else numbers[-1]


def _line(found: Round, turn: Scale, now: datetime) -> RoundLine:
    bars = [bar for span in found.spans for bar in turn.bars(span, now)]
    return RoundLine(found, bars, found.span.elapsed(now))


def _attempt(found: Round, number: str) -> Span | None:
    """The attempt of this number, or the last."""
    named = [span for span in found.generations if str(span.number) == number]
    return next(iter(named or found.generations[-1:]), None)


def _failure(trace: Trace, rounds: list[Round]) -> Failure | None:
    if trace.status != Trace.Status.FAILED:
        return None
    root = trace.spans.filter(kind=Span.Kind.TURN).first()
    found = rounds[-1] if rounds else None
    failed = [span for span in found.generations if span.error] if found else []
    generation = failed[-1] if failed else None
    sentence = (root.error if root else "") or (generation.error if generation else "")
    return Failure(sentence or "The turn failed.", found, generation)
