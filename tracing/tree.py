"""The tree of a trace: rounds, and below a round its attempts and its tool calls."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise

from tracing.journal import Round, tokens
from tracing.ledger import WIDTH
from tracing.models import Action, Span
from tracing.waterfall import Bar, Scale, scale

# Up to so many rounds are listed at once, around the chosen one.
MOST_LINES = 100
# Up to so many spans below them; with more, only the chosen round's are listed.
MOST_BRANCHES = 120


@dataclass(frozen=True)
class Branch:
    """An attempt or a call in its round's time."""

    span: Span
    name: str
    query: str
    bars: list[Bar]
    elapsed: timedelta | None
    notes: list[str]
    tokens_in: int = 0
    tokens_out: int = 0

    @property
    def is_call(self) -> bool:
        return self.span.kind == Span.Kind.TOOL


@dataclass(frozen=True)
class Fan:
    """Calls that ran at the same time: their bars below each other, one thin row each."""

    count: int
    rows: list[tuple[int, list[Bar]]]
    elapsed: timedelta

    @property
    def height(self) -> int:
        return self.count * 3


@dataclass(frozen=True)
class Branches:
    """What hangs below a round; `fan` stands before the calls if they overlapped."""

    number: int
    attempts: list[Branch]
    calls: list[Branch]
    fan: Fan | None = None


@dataclass(frozen=True)
class Line:
    """A round in the tree: all its bars on one line, in the turn's time. `full` is how much of the
    largest prompt of the turn its own was, and `marks` where people did something: thousandths."""

    round: Round
    bars: list[Bar]
    elapsed: timedelta | None
    prompt: int
    full: float
    marks: list[float] = field(default_factory=list)
    branches: Branches | None = None


@dataclass(frozen=True)
class Tree:
    """`lines` are a window of the rounds; `earlier` and `later` are the windows beside it, from
    their first round to their last."""

    lines: list[Line]
    earlier: tuple[int, int] | None = None
    later: tuple[int, int] | None = None


def read_tree(
    rounds: list[Round], chosen: int | None, turn: Scale, now: datetime, actions: Iterable[Action]
) -> Tree:
    largest = max((prompt_of(found) for found in rounds), default=0)
    place = next((at for at, found in enumerate(rounds) if found.number == chosen), 0)
    start = place - place % MOST_LINES
    window = rounds[start : start + MOST_LINES]
    all_open = sum(len(found.spans) for found in window) <= MOST_BRANCHES
    marks = _marks(actions, turn)
    lines = [
        Line(
            round=found,
            bars=[bar for span in found.spans for bar in turn.bars(span, now)],
            elapsed=found.span.elapsed(now),
            prompt=prompt_of(found),
            full=round(prompt_of(found) * WIDTH / largest, 1) if largest else 0.0,
            marks=marks.get(found.span.pk, []),
            branches=read_branches(found, now) if all_open or found.number == chosen else None,
        )
        for found in window
    ]
    before, after = rounds[max(0, start - MOST_LINES) : start], rounds[start + MOST_LINES :]
    return Tree(lines, _ends(before), _ends(after[:MOST_LINES]))


def read_branches(found: Round, now: datetime) -> Branches:
    window = scale([found.span, *found.spans], now)
    several = len(found.generations) > 1
    return Branches(
        number=found.number,
        attempts=[_attempt(span, found.number, window, now, several) for span in found.generations],
        calls=[_call(span, found.number, window, now) for span in found.calls],
        fan=_fan(found.calls, window, now) if are_parallel(found.calls) else None,
    )


def are_parallel(calls: list[Span]) -> bool:
    """Whether any two of them ran at the same time."""
    known = sorted((call for call in calls if call.started), key=lambda call: call.started or 0)
    return any(
        first.ended is None or (second.started is not None and second.started < first.ended)
        for first, second in pairwise(known)
    )


def prompt_of(found: Round) -> int:
    """The tokens of the last prompt of a round for which a provider reported any."""
    known = (tokens(span, "prompt_tokens") for span in reversed(found.generations))
    return next((count for count in known if count), 0)


def _attempt(span: Span, number: int, window: Scale, now: datetime, several: bool) -> Branch:
    model = span.attributes.get("model") or span.name
    return Branch(
        span=span,
        name=f"attempt {span.number}" if several else f"chat · {model}",
        query=f"?round={number}&attempt={span.number}" if several else f"?round={number}",
        bars=window.bars(span, now),
        elapsed=span.elapsed(now),
        notes=list(_refusal(span)),
        tokens_in=tokens(span, "prompt_tokens"),
        tokens_out=tokens(span, "completion_tokens"),
    )


def _refusal(span: Span) -> Iterable[str]:
    status = span.attributes.get("status_code")
    if isinstance(status, int) and status >= 400:
        yield f"HTTP {status}"


def _call(span: Span, number: int, window: Scale, now: datetime) -> Branch:
    return Branch(
        span=span,
        name=str(span.attributes.get("tool") or span.name),
        query=f"?round={number}&span={span.public_id}",
        bars=window.bars(span, now),
        elapsed=span.elapsed(now),
        notes=list(_server(span)),
    )


def _server(span: Span) -> Iterable[str]:
    timing = span.attributes.get("timing")
    if server := span.attributes.get("server"):
        yield str(server)
    if isinstance(timing, dict) and timing.get("protocol"):
        yield f"MCP {timing['protocol']}"


def _fan(calls: list[Span], window: Scale, now: datetime) -> Fan:
    begin = min(call.started or call.created for call in calls)
    end = max(call.ended or now for call in calls)
    rows = [(at * 3, window.bars(call, now)) for at, call in enumerate(calls)]
    return Fan(len(calls), rows, max(timedelta(), end - begin))


def _marks(actions: Iterable[Action], turn: Scale) -> dict[int | None, list[float]]:
    """Where the actions stand, by the round of the span that each was about."""
    found: dict[int | None, list[float]] = {}
    for action in actions:
        if action.span is not None:
            found.setdefault(action.span.parent_id, []).append(turn.place(action.at))
    return found


def _ends(window: list[Round]) -> tuple[int, int] | None:
    return (window[0].number, window[-1].number) if window else None
