"""The turn's part of the trace page: head, time ledger and tree of rounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.utils import timezone
from django.utils.translation import gettext

from tracing.journal import feedback, phases, trace_rounds
from tracing.journal import subagents as nested
from tracing.journal.feedback import GivenFeedback
from tracing.journal.subagents import Figures, NestedTurn
from tracing.journal.trace_rounds import Round
from tracing.models import Action, Span, Trace
from tracing.page import compactions, links
from tracing.page.compactions import CompactionView
from tracing.page.timeline.overhead import between
from tracing.page.timeline.time_ledger import Ledger, read_ledger
from tracing.page.timeline.tree import Tree, listed, read_tree
from tracing.page.timeline.waterfall import Scale

_MS = timedelta(milliseconds=1)


@dataclass(frozen=True)
class TurnFailure:
    """Error that ended a turn, and the generation that failed."""

    sentence: str
    round: Round | None = None
    generation: Span | None = None

    @property
    def address(self) -> str:
        """Address of the bytes that show the error."""
        return links.address_of_error(self.generation) if self.generation else ""


@dataclass(frozen=True)
class AdjacentTurns:
    """The previous and the next turn of the conversation."""

    before: Trace | None = None
    after: Trace | None = None


@dataclass(frozen=True)
class ParentCall:
    """The tool call that started a subagent's turn. `place` counts the turns of its conversation,
    from 1."""

    trace: Trace
    call: Span
    place: int

    @property
    def address(self) -> str:
        round_number = self.call.parent.number if self.call.parent else 1
        return f"{self.trace.get_absolute_url()}?round={round_number}&span={self.call.public_id}"


@dataclass(frozen=True)
class TracePage:
    """Figures are of the turn alone; `total` includes its subagents, None without any. `state` is
    None after the end. `compactions` are those of a turn without rounds. `round_times` is read by
    `static/js/tracing/player/scrub.js`."""

    trace: Trace
    rounds: int
    tree: Tree
    calls: int
    tokens_in: int
    tokens_out: int
    cost: Decimal | None
    elapsed: timedelta
    ledger: Ledger
    failure: TurnFailure | None
    neighbours: AdjacentTurns
    version: str
    parent_call: ParentCall | None
    subagents: int
    total: Figures | None
    state: phases.TraceState | None
    compactions: list[CompactionView]
    round_times: str
    feedback: GivenFeedback | None = None


def read_trace_page(
    trace: Trace,
    rounds: list[Round],
    version: str = "",
    chosen: int | None = None,
    actions: Sequence[Action] = (),
) -> TracePage:
    now = timezone.now()
    elapsed = trace.elapsed(now)
    turn = Scale(trace.started, max(elapsed, timedelta(milliseconds=1)))
    subagents = _subagents(rounds, chosen)
    own = nested.figures(rounds)
    return TracePage(
        trace=trace,
        rounds=len(rounds),
        tree=read_tree(rounds, chosen, turn, now, actions, subagents),
        calls=own.calls,
        tokens_in=own.tokens_in,
        tokens_out=own.tokens_out,
        cost=own.cost,
        elapsed=elapsed,
        ledger=_turn_ledger(trace, rounds, now),
        failure=_failure(trace, rounds),
        neighbours=_neighbours(trace),
        version=version,
        parent_call=_parent_call(trace),
        subagents=len(subagents),
        total=own + nested.total(subagents) if subagents else None,
        state=phases.state(trace),
        compactions=[] if rounds else _compactions(trace),
        round_times=" ".join(_round_times(trace, round_, now) for round_ in rounds),
        feedback=feedback.given(actions),
    )


def opening_round(trace: Trace, numbers: list[int]) -> int | None:
    """The round to show by default: the first of a turn that succeeded, else the last."""
    if not numbers:
        return None
    return numbers[0] if trace.status == Trace.Status.SUCCEEDED else numbers[-1]


def _subagents(rounds: list[Round], chosen: int | None) -> dict[int, NestedTurn]:
    calls = [call for round_ in rounds for call in round_.calls]
    return nested.nested_turns(
        calls, [call for round_ in listed(rounds, chosen) for call in round_.calls]
    )


def _round_times(trace: Trace, round_: Round, now: datetime) -> str:
    """`2:1420:1900`: number of the round, start and end in milliseconds since the turn began."""
    begin, end = round_.span.started or round_.span.created, round_.span.ended or now
    start, stop = ((moment - trace.started) / _MS for moment in (begin, end))
    return f"{round_.number}:{max(0, start):.0f}:{max(0, stop):.0f}"


def _compactions(trace: Trace) -> list[CompactionView]:
    no_round = Round(Span(kind=Span.Kind.ROUND), [], [])
    return [compactions.read(one, no_round) for one in trace_rounds.compactions(trace)]


def _parent_call(trace: Trace) -> ParentCall | None:
    """One query; none for a turn that is no subagent's."""
    if trace.parent_id is None:
        return None
    call = Span.objects.select_related("trace", "parent").get(pk=trace.parent_id)
    turns = Trace.objects.filter(archive_id=call.trace.archive_id, kind=call.trace.kind)
    return ParentCall(call.trace, call, turns.filter(pk__lte=call.trace_id).count())


def _turn_ledger(trace: Trace, rounds: list[Round], now: datetime) -> Ledger:
    """The wait before the first round counts as queued; the whole turn if it has no round."""
    end = trace.ended or now
    first = _first_step(rounds) or end
    spans = [span for round_ in rounds for span in round_.spans]
    spans += [one.span for round_ in rounds for one in round_.all_compactions]
    queued = max(timedelta(), first - trace.started)
    overhead = [segment for round_ in rounds for segment in between(round_)]
    return read_ledger(spans, trace.started, end, now, queued, overhead)


def _first_step(rounds: list[Round]) -> datetime | None:
    if not rounds:
        return None
    first = [*(one.span for one in rounds[0].compactions), rounds[0].span][0]
    return first.started or first.created


def _failure(trace: Trace, rounds: list[Round]) -> TurnFailure | None:
    if trace.status != Trace.Status.FAILED:
        return None
    root = trace.spans.filter(kind=Span.Kind.TURN).first()
    round_ = rounds[-1] if rounds else None
    failed = [span for span in round_.generations if span.error] if round_ else []
    generation = links.in_round(failed[-1], round_.span) if round_ and failed else None
    sentence = (root.error if root else "") or (generation.error if generation else "")
    return TurnFailure(sentence or gettext("The turn failed."), round_, generation)


def _neighbours(trace: Trace) -> AdjacentTurns:
    if trace.kind != Trace.Kind.TURN:
        return AdjacentTurns()
    return AdjacentTurns(
        before=Trace.objects.turn_before(trace.archive_id, trace.pk),
        after=Trace.objects.turn_after(trace.archive_id, trace.pk),
    )
