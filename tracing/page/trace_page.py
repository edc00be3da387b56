"""What the trace page shows, gathered: head and ledger, the tree, and the chosen round."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from urllib.parse import urlencode

from django.utils import timezone

from tracing.journal import actions as acts
from tracing.journal import phases, trace_rounds
from tracing.journal import subagents as nested
from tracing.journal.subagents import Figures, NestedTurn
from tracing.journal.trace_rounds import Compaction, Round
from tracing.models import Action, Span, Trace
from tracing.models.attributes import generation_attributes
from tracing.page import baselines, compactions, links
from tracing.page.baselines import Baseline
from tracing.page.budget.context_budget import Budget, read_budget
from tracing.page.budget.prompt_cache import Break, cached_share, read_break
from tracing.page.calls.tool_calls import Call, read_calls
from tracing.page.compactions import Told
from tracing.page.generation_facts import call_facts, generation_facts, generation_notes
from tracing.page.links import attempt_of
from tracing.page.payload.reader import Wanted
from tracing.page.stages import column_widths
from tracing.page.stages.ladder import PROMPTED, Stage, read_stages
from tracing.page.timeline.overhead import between
from tracing.page.timeline.time_ledger import Ledger, read_ledger
from tracing.page.timeline.tree import (
    Branches,
    Tree,
    are_parallel,
    listed,
    read_branches,
    read_tree,
)
from tracing.page.timeline.waterfall import Scale
from tracing.page.view_options import TraceViewOptions

_MS = timedelta(milliseconds=1)


@dataclass(frozen=True)
class Cause:
    """What ended the turn, and the generation whose bytes tell more."""

    sentence: str
    round: Round | None = None
    generation: Span | None = None

    @property
    def address(self) -> str:
        """Where the bytes are."""
        return links.address_of_error(self.generation) if self.generation else ""


@dataclass(frozen=True)
class Neighbours:
    """The turns of the same conversation before and after this one."""

    before: Trace | None = None
    after: Trace | None = None


@dataclass(frozen=True)
class Above:
    """Where a subagent's turn belongs: the call that began it, in which round of which turn."""

    trace: Trace
    call: Span
    place: int

    @property
    def address(self) -> str:
        round_number = self.call.parent.number if self.call.parent else 1
        return f"{self.trace.get_absolute_url()}?round={round_number}&span={self.call.public_id}"


@dataclass(frozen=True)
class TracePage:
    """`whole` counts the subagents too, and is None if there are none. `state` is of a trace that
    runs. `alone` are compactions that no round came before or after."""

    trace: Trace
    rounds: int
    tree: Tree
    calls: int
    tokens_in: int
    tokens_out: int
    cost: Decimal | None
    elapsed: timedelta
    ledger: Ledger
    failure: Cause | None
    neighbours: Neighbours
    version: str
    above: Above | None
    subagents: int
    whole: Figures | None
    state: phases.State | None
    alone: list[Told]
    times: str


@dataclass(frozen=True)
class RoundPage:
    """The chosen round and attempt, or call, and where one can step from here."""

    trace: Trace
    round: Round
    numbers: list[int]
    generation: Span | None
    chosen: Span | None
    branches: Branches
    stages: list[Stage]
    calls: list[Call]
    compaction: Told | None
    options: TraceViewOptions
    baseline: Baseline
    elapsed: timedelta | None
    ledger: Ledger
    budget: Budget | None
    cache: Break | None
    actions: list[Action]

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
        return bool(
            self.generation and generation_attributes(self.generation).get("dialect") in PROMPTED
        )

    @property
    def columns(self) -> list[tuple[Stage, int]]:
        """Each stage with its part of the width."""
        return [(stage, column_widths.share(stage, self.options)) for stage in self.stages]

    @property
    def is_earlier_attempt(self) -> bool:
        return self.generation is not None and self.generation in self.round.generations[:-1]

    @property
    def attempt(self) -> str:
        """How the shown model call is named beside its round's number."""
        if self.generation is None:
            return ""
        return attempt_of(self.generation)

    @property
    def shown(self) -> Span | None:
        """The span that the tree has as current, and the details are about."""
        return self.chosen or self.generation

    @property
    def called(self) -> Call | None:
        """The chosen call."""
        return next((call for call in self.calls if call.span == self.chosen), None)

    @property
    def other_calls(self) -> list[Call]:
        return [call for call in self.calls if call.span != self.chosen]

    def place(self, **changes: str | int) -> str:
        """The query of this place with something changed. Attempt, call and views stay, what is
        unfolded and which page of the chunks is seen do not."""
        parameters: dict[str, str | int] = {"round": self.round.number}
        if self.generation is not None and self.is_earlier_attempt:
            parameters["attempt"] = self.generation.number
        if self.chosen is not None:
            parameters["span"] = str(self.chosen.public_id)
        query = {**parameters, **self.options.parameters, **changes}
        return "?" + urlencode({name: value for name, value in query.items() if value != ""})

    @property
    def views(self) -> str:
        """What keeps how stages are shown in a link to another round."""
        return "".join(
            f"&{urlencode({name: value})}" for name, value in self.options.parameters.items()
        )

    @property
    def compacted(self) -> list[tuple[Span, str, str]]:
        """What was left out since the request that this one is compared with, in words."""
        return [
            (one, compactions.title(one), compactions.told(one))
            for one in self.baseline.compactions
        ]

    @property
    def parallel(self) -> bool:
        """Whether a call began before another one had ended."""
        return are_parallel(self.round.calls)

    @property
    def failed_attempts(self) -> list[tuple[Span, str]]:
        """Each with the address of the bytes that show the error."""
        failed = [span for span in self.round.generations if span.error]
        return [(span, links.address_of_error(_within(span, self.round))) for span in failed]

    @property
    def facts(self) -> list[tuple[str, str]]:
        if self.chosen is not None:
            return self.compaction.facts if self.compaction else call_facts(self.chosen)
        return generation_facts(self.generation) if self.generation else []

    @property
    def notes(self) -> list[str]:
        return generation_notes(self.generation) if self.generation else []

    @property
    def is_running(self) -> bool:
        return self.trace.is_running and self.round.span.ended is None

    @property
    def state(self) -> phases.State | None:
        """What the trace does or waits for, if it does so in this round."""
        return phases.state(self.trace) if self.is_running else None

    @property
    def cost(self) -> Decimal | None:
        return nested.cost_of(self.round.generations)

    @property
    def cached(self) -> tuple[int, float] | None:
        return cached_share(self.generation) if self.generation else None

    @property
    def _place(self) -> int:
        return self.numbers.index(self.round.number)


def trace_page(
    trace: Trace, rounds: list[Round], version: str = "", chosen: int | None = None
) -> TracePage:
    now = timezone.now()
    elapsed = trace.elapsed(now)
    turn = Scale(trace.started, max(elapsed, timedelta(milliseconds=1)))
    begun = _begun(rounds, chosen)
    own = nested.figures(rounds)
    return TracePage(
        trace=trace,
        rounds=len(rounds),
        tree=read_tree(rounds, chosen, turn, now, acts.of_trace(trace), begun),
        calls=own.calls,
        tokens_in=own.tokens_in,
        tokens_out=own.tokens_out,
        cost=own.cost,
        elapsed=elapsed,
        ledger=_turn_ledger(trace, rounds, now),
        failure=_failure(trace, rounds),
        neighbours=_neighbours(trace),
        version=version,
        above=_above(trace),
        subagents=len(begun),
        whole=own + nested.total(begun) if begun else None,
        state=phases.state(trace),
        alone=[] if rounds else _alone(trace),
        times=" ".join(_times(trace, round_, now) for round_ in rounds),
    )


def round_page(
    trace: Trace,
    round_: Round,
    numbers: list[int],
    attempt: str,
    span: str,
    options: TraceViewOptions,
) -> RoundPage:
    now = timezone.now()
    compaction = _compaction(round_, span, attempt)
    generation = _attempt(compaction or round_, attempt, span)
    baseline = Baseline() if compaction else baselines.find(trace, round_, generation, options)
    made = [compactions.layer(one) for one in baseline.compactions]
    stages = read_stages(generation, baseline.generation, options, made) if generation else []
    budget = _budget(trace, generation, stages, baseline.before)
    begun = nested.begun_by(round_.calls, round_.calls)
    return RoundPage(
        trace=trace,
        round=round_,
        numbers=numbers,
        generation=generation,
        chosen=compaction.span if compaction else _call(round_, span),
        branches=read_branches(round_, now, begun),
        stages=stages,
        calls=read_calls(round_.calls, now, begun, _opened(options, span)),
        compaction=compactions.read(compaction, round_) if compaction else None,
        options=options,
        baseline=baseline,
        elapsed=round_.span.elapsed(now),
        ledger=_round_ledger(round_, now),
        budget=budget,
        cache=_cache(stages, baseline.before, budget.sizes) if budget else None,
        actions=acts.of_trace(trace),
    )


def opening_round(trace: Trace, numbers: list[int]) -> int | None:
    """Where a page begins that names no round: where it failed or runs, else at the first."""
    if not numbers:
        return None
    return numbers[0] if trace.status == Trace.Status.SUCCEEDED else numbers[-1]


def _begun(rounds: list[Round], chosen: int | None) -> dict[int, NestedTurn]:
    calls = [call for round_ in rounds for call in round_.calls]
    return nested.begun_by(
        calls, [call for round_ in listed(rounds, chosen) for call in round_.calls]
    )


def _times(trace: Trace, round_: Round, now: datetime) -> str:
    """`2:1420:1900`: the round's number, and when it began and ended in milliseconds of the
    turn, for `static/js/tracing/player/scrub.js`."""
    begin, end = round_.span.started or round_.span.created, round_.span.ended or now
    start, stop = ((moment - trace.started) / _MS for moment in (begin, end))
    return f"{round_.number}:{max(0, start):.0f}:{max(0, stop):.0f}"


def _alone(trace: Trace) -> list[Told]:
    nothing = Round(Span(kind=Span.Kind.ROUND), [], [])
    return [compactions.read(one, nothing) for one in trace_rounds.compactions(trace)]


def _above(trace: Trace) -> Above | None:
    """One query, none for a turn of its own."""
    if trace.parent_id is None:
        return None
    call = Span.objects.select_related("trace", "parent").get(pk=trace.parent_id)
    turns = Trace.objects.filter(archive_id=call.trace.archive_id, kind=call.trace.kind)
    return Above(call.trace, call, turns.filter(pk__lte=call.trace_id).count())


def _turn_ledger(trace: Trace, rounds: list[Round], now: datetime) -> Ledger:
    """Until its first round it waited for a worker, to its end if it has none."""
    end = trace.ended or now
    first = _first_step(rounds) or end
    spans = [span for round_ in rounds for span in round_.spans]
    spans += [one.span for round_ in rounds for one in round_.beside]
    queued = max(timedelta(), first - trace.started)
    beside = [segment for round_ in rounds for segment in between(round_)]
    return read_ledger(spans, trace.started, end, now, queued, beside)


def _first_step(rounds: list[Round]) -> datetime | None:
    if not rounds:
        return None
    first = [*(one.span for one in rounds[0].compactions), rounds[0].span][0]
    return first.started or first.created


def _round_ledger(round_: Round, now: datetime) -> Ledger:
    span = round_.span
    begin, end = span.started or span.created, span.ended or now
    return read_ledger(round_.spans, begin, end, now, timedelta(), between(round_))


def _budget(
    trace: Trace, generation: Span | None, stages: list[Stage], before: Span | None
) -> Budget | None:
    stored = {stage.name: stage.payload for stage in stages}
    request = stored.get("request")
    if generation is None or request is None:
        return None
    return read_budget(trace.archive, generation, request, stored.get("input"), before)


def _cache(stages: list[Stage], before: Span | None, sizes: dict[int, int]) -> Break | None:
    request = next((stage.payload for stage in stages if stage.name == "request"), None)
    if request is None or before is None:
        return None
    earlier = before.payloads.filter(stage="request").select_related("span__trace").first()
    return read_break(request, earlier, sizes) if earlier else None


def _compaction(round_: Round, span: str, attempt: str) -> Compaction | None:
    """The one that is chosen by itself, or by its model call."""
    for one in round_.beside:
        calls = {str(generation.public_id) for generation in one.generations}
        if str(one.span.public_id) == span or attempt in calls:
            return one
    return None


def _call(round_: Round, span: str) -> Span | None:
    return next((call for call in round_.calls if str(call.public_id) == span), None)


def _attempt(round_: Round | Compaction, number: str, public_id: str) -> Span | None:
    """The attempt of this number or public id, or the last."""
    names = {number, public_id} - {""}
    named = [one for one in round_.generations if {str(one.number), str(one.public_id)} & names]
    return next(iter(named or round_.generations[-1:]), None)


def _opened(options: TraceViewOptions, span: str) -> tuple[str, str, Wanted] | None:
    """The call and its payload that are opened at a place."""
    return (span, options.opened, options.reading()) if options.opened else None


def _failure(trace: Trace, rounds: list[Round]) -> Cause | None:
    if trace.status != Trace.Status.FAILED:
        return None
    root = trace.spans.filter(kind=Span.Kind.TURN).first()
    round_ = rounds[-1] if rounds else None
    failed = [span for span in round_.generations if span.error] if round_ else []
    generation = _within(failed[-1], round_) if round_ and failed else None
    sentence = (root.error if root else "") or (generation.error if generation else "")
    return Cause(sentence or "The turn failed.", round_, generation)


def _within(generation: Span, round_: Round) -> Span:
    """With the round and the trace that it is of, so that nothing has to be asked for."""
    generation.parent, generation.trace = round_.span, round_.span.trace
    return generation


def _neighbours(trace: Trace) -> Neighbours:
    if trace.kind != Trace.Kind.TURN:
        return Neighbours()
    turns = Trace.objects.filter(archive_id=trace.archive_id, kind=Trace.Kind.TURN)
    return Neighbours(
        before=turns.filter(pk__lt=trace.pk).order_by("-pk").first(),
        after=turns.filter(pk__gt=trace.pk).order_by("pk").first(),
    )
