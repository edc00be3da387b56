"""The round's part of the trace page: the chosen attempt, call or compaction, and its stages."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from urllib.parse import urlencode

from django.utils import timezone

from tracing.journal import phases
from tracing.journal import subagents as nested
from tracing.journal.trace_rounds import Compaction, Round, StoredPayloads, payloads_of
from tracing.models import Action, Span, Trace
from tracing.models.attributes import generation_attributes
from tracing.page import baselines, compactions, links
from tracing.page.baselines import Baseline
from tracing.page.budget.context_budget import Budget, read_budget
from tracing.page.budget.prompt_cache import PrefixMatch, cached_share, read_prefix_match
from tracing.page.calls.tool_calls import Call, read_calls
from tracing.page.compactions import CompactionView
from tracing.page.generation_facts import call_facts, generation_facts, generation_notes
from tracing.page.links import attempt_of
from tracing.page.payload.reader import ReaderOptions
from tracing.page.stages import column_widths
from tracing.page.stages.contents import Stage
from tracing.page.stages.ladder import PROMPTED, read_stages
from tracing.page.timeline.overhead import between
from tracing.page.timeline.time_ledger import Ledger, read_ledger
from tracing.page.timeline.tree import Branches, are_parallel, read_branches
from tracing.page.view_options import TraceViewOptions


@dataclass(frozen=True)
class RoundPage:
    """The chosen round, its chosen attempt, call or compaction, and the rounds to step to. `cache`
    is where the request stops to match the provider's prompt cache."""

    trace: Trace
    round: Round
    numbers: list[int]
    generation: Span | None
    chosen: Span | None
    branches: Branches
    stages: list[Stage]
    calls: list[Call]
    compaction: CompactionView | None
    options: TraceViewOptions
    baseline: Baseline
    elapsed: timedelta | None
    ledger: Ledger
    budget: Budget | None
    cache: PrefixMatch | None
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
        """Each stage and its share of the width."""
        return [(stage, column_widths.share(stage, self.options)) for stage in self.stages]

    @property
    def is_earlier_attempt(self) -> bool:
        return self.generation is not None and self.generation in self.round.generations[:-1]

    @property
    def attempt(self) -> str:
        """The query parameter `attempt` of the shown generation."""
        if self.generation is None:
            return ""
        return attempt_of(self.generation)

    @property
    def current(self) -> Span | None:
        """The span that the tree marks as current and that the details describe."""
        return self.chosen or self.generation

    @property
    def chosen_call(self) -> Call | None:
        return next((call for call in self.calls if call.span == self.chosen), None)

    @property
    def other_calls(self) -> list[Call]:
        return [call for call in self.calls if call.span != self.chosen]

    def place(self, **changes: str | int) -> str:
        """The query string of this page with `changes`; an empty value removes a parameter.

        Keeps round, attempt, span and views; drops what is unfolded and the page of a list."""
        parameters: dict[str, str | int] = {"round": self.round.number}
        if self.generation is not None and self.is_earlier_attempt:
            parameters["attempt"] = self.generation.number
        if self.chosen is not None:
            parameters["span"] = str(self.chosen.public_id)
        query = {**parameters, **self.options.parameters, **changes}
        return "?" + urlencode({name: value for name, value in query.items() if value != ""})

    @property
    def view_query(self) -> str:
        """Query parameters, after a `&`, that keep the views in a link to another round."""
        return "".join(
            f"&{urlencode({name: value})}" for name, value in self.options.parameters.items()
        )

    @property
    def compactions_since(self) -> list[tuple[Span, str, str]]:
        """Compactions since the baseline: span, title, figures."""
        return [
            (one, compactions.title(one), compactions.figures(one))
            for one in self.baseline.compactions
        ]

    @property
    def parallel(self) -> bool:
        """Whether two calls ran at the same time."""
        return are_parallel(self.round.calls)

    @property
    def failed_attempts(self) -> list[tuple[Span, str]]:
        """Each with the address of the bytes that show the error."""
        failed = [span for span in self.round.generations if span.error]
        return [
            (span, links.address_of_error(links.in_round(span, self.round.span))) for span in failed
        ]

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
    def state(self) -> phases.TraceState | None:
        """What the running trace does or waits for; None in a round that ended."""
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


def read_round_page(
    trace: Trace,
    round_: Round,
    numbers: list[int],
    attempt: str,
    span: str,
    options: TraceViewOptions,
    actions: list[Action],
) -> RoundPage:
    now = timezone.now()
    compaction = _compaction(round_, span, attempt)
    generation = _attempt(compaction or round_, attempt, span)
    if generation is not None:
        generation.parent = (compaction or round_).span
    baseline = Baseline() if compaction else baselines.find(trace, round_, generation, options)
    stored = payloads_of(
        [one for one in (generation, baseline.generation, baseline.before) if one] + round_.calls
    )
    stages = _stages(generation, baseline, stored, options)
    budget = _budget(trace, generation, stages, baseline.before)
    subagents = nested.nested_turns(round_.calls, round_.calls)
    return RoundPage(
        trace=trace,
        round=round_,
        numbers=numbers,
        generation=generation,
        chosen=compaction.span if compaction else _call(round_, span),
        branches=read_branches(round_, now, subagents),
        stages=stages,
        calls=read_calls(round_.calls, stored, now, subagents, _opened(options, span)),
        compaction=compactions.read(compaction, round_) if compaction else None,
        options=options,
        baseline=baseline,
        elapsed=round_.span.elapsed(now),
        ledger=_round_ledger(round_, now),
        budget=budget,
        cache=_cache(stages, stored, baseline.before, budget.sizes) if budget else None,
        actions=actions,
    )


def _stages(
    generation: Span | None, baseline: Baseline, stored: StoredPayloads, options: TraceViewOptions
) -> list[Stage]:
    if generation is None:
        return []
    layers = [compactions.layer(one) for one in baseline.compactions]
    return read_stages(generation, baseline.generation, stored, options, layers)


def _compaction(round_: Round, span: str, attempt: str) -> Compaction | None:
    """The compaction that the query names by its span or by that of its generation."""
    for one in round_.all_compactions:
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


def _opened(options: TraceViewOptions, span: str) -> tuple[str, str, ReaderOptions] | None:
    """The call, its stage, and the place in it that the query opens."""
    return (span, options.opened, options.reader_options()) if options.opened else None


def _round_ledger(round_: Round, now: datetime) -> Ledger:
    span = round_.span
    begin, end = span.started or span.created, span.ended or now
    return read_ledger(round_.spans, begin, end, now, timedelta(), between(round_))


def _budget(
    trace: Trace, generation: Span | None, stages: list[Stage], before: Span | None
) -> Budget | None:
    payloads = {stage.name: stage.payload for stage in stages}
    request = payloads.get("request")
    if generation is None or request is None:
        return None
    return read_budget(trace.archive, generation, request, payloads.get("input"), before)


def _cache(
    stages: list[Stage], stored: StoredPayloads, before: Span | None, sizes: dict[int, int]
) -> PrefixMatch | None:
    request = next((stage.payload for stage in stages if stage.name == "request"), None)
    if request is None or before is None:
        return None
    earlier = stored.get((before.pk, "request"))
    return read_prefix_match(request, earlier, sizes) if earlier else None
