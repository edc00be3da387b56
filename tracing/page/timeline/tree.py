"""The tree of a trace: rounds with their attempts, tool calls and the rounds of subagents; between
rounds the compactions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise

from django.utils.translation import gettext

from limits.trace_pages import MAX_LISTED_ROUNDS, MAX_LISTED_SPANS, MAX_NESTED_ROUNDS
from tracing.journal.subagents import NestedTurn
from tracing.journal.trace_rounds import Compaction, Round, tokens
from tracing.models import Action, Span, Trace
from tracing.models.attributes import call_attributes, generation_attributes
from tracing.page import compactions
from tracing.page.timeline.time_ledger import WIDTH
from tracing.page.timeline.waterfall import Bar, Scale, scale

# Rounds that the subagents of a round may have in all to be unfolded at first.
FEW_ROUNDS = 12
_NONE: Mapping[int, NestedTurn] = {}


@dataclass(frozen=True)
class Branch:
    """An attempt or a call on the scale of its round, or a compaction on that of the turn."""

    span: Span
    name: str
    query: str
    bars: list[Bar]
    elapsed: timedelta | None
    notes: list[str]
    tokens_in: int = 0
    tokens_out: int = 0
    nested: "Nested | None" = None


@dataclass(frozen=True)
class NestedLine:
    """A round of a subagent, on the scale of the round that started it."""

    round: Round
    query: str
    bars: list[Bar]
    elapsed: timedelta | None
    branches: list[Branch]


@dataclass(frozen=True)
class Nested:
    """The subagent that a call of `task` started: its first rounds; `more` are not listed."""

    turn: NestedTurn
    lines: list[NestedLine]
    is_open: bool

    @property
    def trace(self) -> Trace:
        return self.turn.trace

    @property
    def more(self) -> int:
        return self.turn.more


@dataclass(frozen=True)
class Fan:
    """Calls that ran at the same time: their bars, one row each."""

    count: int
    rows: list[tuple[int, list[Bar]]]
    elapsed: timedelta

    @property
    def height(self) -> int:
        return self.count * 3


@dataclass(frozen=True)
class Branches:
    """Attempts and calls of a round; `fan` if calls overlapped."""

    number: int
    attempts: list[Branch]
    calls: list[Branch]
    fan: Fan | None = None


@dataclass(frozen=True)
class Line:
    """A round in the tree, on the scale of the turn. `full`: its prompt relative to the largest of
    the turn; `marks`: actions of people; both in thousandths. `before` and `after` are
    compactions."""

    round: Round
    bars: list[Bar]
    elapsed: timedelta | None
    prompt: int
    full: float
    marks: list[float] = field(default_factory=list)
    branches: Branches | None = None
    before: list[Branch] = field(default_factory=list)
    after: list[Branch] = field(default_factory=list)


@dataclass(frozen=True)
class Tree:
    """`lines` are a window of the rounds; `earlier` and `later` are the first and the last round of
    the neighbouring windows. `running` is the running round if it is outside the window."""

    lines: list[Line]
    earlier: tuple[int, int] | None = None
    later: tuple[int, int] | None = None
    running: Line | None = None

    @property
    def lists(self) -> list[list[Line]]:
        """The lists above and below the link to `later`."""
        return [self.lines, [self.running]] if self.running else [self.lines]


def listed(rounds: list[Round], chosen: int | None) -> list[Round]:
    """The rounds of the window whose attempts and calls are listed."""
    window = _window(rounds, chosen)
    all_open = sum(len(round_.spans) for round_ in window) <= MAX_LISTED_SPANS
    return [round_ for round_ in window if all_open or round_.number == chosen]


def read_tree(
    rounds: list[Round],
    chosen: int | None,
    turn: Scale,
    now: datetime,
    actions: Iterable[Action],
    nested: Mapping[int, NestedTurn] = _NONE,
) -> Tree:
    largest = max((prompt_of(round_) for round_ in rounds), default=0)
    start = _start(rounds, chosen)
    unfolded = {round_.number for round_ in listed(rounds, chosen)}
    marks = _marks(actions, turn)

    def line(round_: Round) -> Line:
        return Line(
            round=round_,
            bars=[bar for span in round_.spans for bar in turn.bars(span, now)],
            elapsed=round_.span.elapsed(now),
            prompt=prompt_of(round_),
            full=round(prompt_of(round_) * WIDTH / largest, 1) if largest else 0.0,
            marks=marks.get(round_.span.pk, []),
            branches=read_branches(round_, now, nested) if round_.number in unfolded else None,
            before=[
                _compaction_branch(one, round_.number, turn, now) for one in round_.compactions
            ],
            after=[_compaction_branch(one, round_.number, turn, now) for one in round_.after],
        )

    window = _window(rounds, chosen)
    before, after = (
        rounds[max(0, start - MAX_LISTED_ROUNDS) : start],
        rounds[start + MAX_LISTED_ROUNDS :],
    )
    running = line(after[-1]) if after and after[-1].span.ended is None else None
    lines = [line(round_) for round_ in window]
    return Tree(lines, _ends(before), _ends(after[:MAX_LISTED_ROUNDS]), running)


def _start(rounds: list[Round], chosen: int | None) -> int:
    place = next((at for at, round_ in enumerate(rounds) if round_.number == chosen), 0)
    return place - place % MAX_LISTED_ROUNDS


def _window(rounds: list[Round], chosen: int | None) -> list[Round]:
    start = _start(rounds, chosen)
    return rounds[start : start + MAX_LISTED_ROUNDS]


def read_branches(
    round_: Round, now: datetime, nested: Mapping[int, NestedTurn] = _NONE
) -> Branches:
    window = scale([round_.span, *round_.spans], now)
    few = sum(nested[call.pk].figures.rounds for call in round_.calls if call.pk in nested)
    return Branches(
        number=round_.number,
        attempts=_attempt_branches(round_, window, now),
        calls=[
            _call_branch(span, round_.number, window, now, nested=nested.get(span.pk), few=few)
            for span in round_.calls
        ],
        fan=_fan(round_.calls, window, now) if are_parallel(round_.calls) else None,
    )


def are_parallel(calls: list[Span]) -> bool:
    """Whether any two of them ran at the same time."""
    calls = sorted((call for call in calls if call.started), key=lambda call: call.started or 0)
    return any(
        first.ended is None or (second.started is not None and second.started < first.ended)
        for first, second in pairwise(calls)
    )


def prompt_of(round_: Round) -> int:
    """Tokens of the last prompt of a round for which the provider reported them."""
    counts = (tokens(span, "prompt_tokens") for span in reversed(round_.generations))
    return next((count for count in counts if count), 0)


def _attempt_branches(round_: Round, window: Scale, now: datetime, page: str = "") -> list[Branch]:
    several = len(round_.generations) > 1
    place = f"{page}?round={round_.number}"
    return [_attempt_branch(span, place, window, now, several) for span in round_.generations]


def _attempt_branch(span: Span, place: str, window: Scale, now: datetime, several: bool) -> Branch:
    model = generation_attributes(span).get("model") or span.name
    return Branch(
        span=span,
        name=gettext("attempt %(number)s") % {"number": span.number}
        if several
        else f"chat · {model}",
        query=f"{place}&attempt={span.number}" if several else place,
        bars=window.bars(span, now),
        elapsed=span.elapsed(now),
        notes=list(_refusal(span)),
        tokens_in=tokens(span, "prompt_tokens"),
        tokens_out=tokens(span, "completion_tokens"),
    )


def _refusal(span: Span) -> Iterable[str]:
    status = generation_attributes(span).get("status_code")
    if isinstance(status, int) and status >= 400:
        yield f"HTTP {status}"


def _call_branch(
    span: Span,
    number: int,
    window: Scale,
    now: datetime,
    page: str = "",
    nested: NestedTurn | None = None,
    few: int = 0,
) -> Branch:
    return Branch(
        span=span,
        name=str(call_attributes(span).get("tool") or span.name),
        query=f"{page}?round={number}&span={span.public_id}",
        bars=window.bars(span, now),
        elapsed=span.elapsed(now),
        notes=list(_notes(span, nested)),
        tokens_in=nested.figures.tokens_in if nested else 0,
        tokens_out=nested.figures.tokens_out if nested else 0,
        nested=_nested(nested, window, now, few <= FEW_ROUNDS) if nested else None,
    )


def _nested(turn: NestedTurn, window: Scale, now: datetime, is_open: bool) -> Nested:
    page = turn.trace.get_absolute_url()
    lines = [
        NestedLine(
            round=round_,
            query=f"{page}?round={round_.number}",
            bars=[bar for span in round_.spans for bar in window.bars(span, now)],
            elapsed=round_.span.elapsed(now),
            branches=[
                *_attempt_branches(round_, window, now, page),
                *(_call_branch(span, round_.number, window, now, page) for span in round_.calls),
            ],
        )
        for round_ in turn.rounds[:MAX_NESTED_ROUNDS]
    ]
    return Nested(turn, lines, is_open)


def _compaction_branch(compaction: Compaction, number: int, turn: Scale, now: datetime) -> Branch:
    span = compaction.span
    return Branch(
        span=span,
        name=compactions.title(span),
        query=f"?round={number}&span={span.public_id}",
        bars=turn.bars(span, now),
        elapsed=span.elapsed(now),
        notes=[compactions.figures(span)],
    )


def _notes(span: Span, nested: NestedTurn | None) -> Iterable[str]:
    if nested is not None:
        yield nested.trace.name
    if skill := call_attributes(span).get("skill"):
        yield gettext("skill %(skill)s") % {"skill": skill}
    timing = call_attributes(span).get("timing")
    if server := call_attributes(span).get("server"):
        yield str(server)
    if isinstance(timing, dict) and timing.get("protocol"):
        yield f"MCP {timing['protocol']}"


def _fan(calls: list[Span], window: Scale, now: datetime) -> Fan:
    begin = min(call.started or call.created for call in calls)
    end = max(call.ended or now for call in calls)
    rows = [(at * 3, window.bars(call, now)) for at, call in enumerate(calls)]
    return Fan(len(calls), rows, max(timedelta(), end - begin))


def _marks(actions: Iterable[Action], turn: Scale) -> dict[int | None, list[float]]:
    """Positions of the actions, by the round of their span."""
    marks: dict[int | None, list[float]] = {}
    for action in actions:
        if action.span is not None:
            marks.setdefault(action.span.parent_id, []).append(turn.place(action.at))
    return marks


def _ends(window: list[Round]) -> tuple[int, int] | None:
    return (window[0].number, window[-1].number) if window else None
