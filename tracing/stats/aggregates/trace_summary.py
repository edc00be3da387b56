"""Reads an ended trace: its figures, its facets, and its counters by subject."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TypedDict

from db.fields import storable
from limits.traces import (
    MAX_DIGEST_DOLLARS,
    MAX_DIGEST_ERROR,
    MAX_DIGEST_NAME,
    MAX_DIGEST_TOKENS,
    MAX_ERROR_RESULT_BYTES,
)
from tracing.errors import PayloadCorrupt
from tracing.journal.cost import cached_tokens, cost
from tracing.journal.trace_rounds import tokens
from tracing.models import Facet, Metric, Payload, Span, Trace
from tracing.models.attributes import (
    CallAttributes,
    GenerationAttributes,
    call_attributes,
    generation_attributes,
)
from tracing.stats.aggregates.counters import Counters, Key
from tracing.store.payloads import load

BROKEN = frozenset({Span.Status.FAILED, Span.Status.OUTCOME_UNKNOWN})
# The label of calls to tools that do not exist.
UNKNOWN_TOOL = "_unknown"
NANODOLLAR = Decimal("0.000000001")

Facets = set[tuple[str, str]]


class TraceFigures(TypedDict):
    """Columns of an ended trace. `cost` in US dollars, None without known prices."""

    duration_ms: int
    rounds: int
    calls: int
    tokens_in: int
    tokens_out: int
    tokens: int
    cost: Decimal | None
    has_error: bool
    has_retry: bool


@dataclass
class Summary:
    """`figures`: columns of the trace and their values."""

    trace: Trace
    figures: TraceFigures
    facets: Facets = field(default_factory=set)
    counters: dict[Key, Counters] = field(default_factory=lambda: defaultdict(Counters))


def summarize(trace: Trace, spans: Sequence[Span]) -> Summary:
    """The summary of an ended trace with these spans, in their order; one query for each call that
    failed, and for a subagent."""
    generations = [span for span in spans if span.kind == Span.Kind.GENERATION]
    calls = [span for span in spans if span.kind == Span.Kind.TOOL]
    turn = _count_turn(trace, spans, generations, calls)
    summary = Summary(trace, _figures(turn, generations, calls))
    for span in generations:
        summary.facets |= _generation_facets(span)
    for span in calls:
        summary.facets |= _call_facets(span)
    if trace.kind != Trace.Kind.REPLAY:  # no model and no tool is called
        for span in generations:
            _count_generation(summary.counters[_model_of(span)], span)
            _count_tokens(summary.counters[_model_of_user(trace, span)], span)
        for span in calls:
            _count_call(summary.counters[_tool_of(span)], span)
    summary.counters[Key(Metric.Kind.TURN, trace.kind, trace.status)] = turn
    _count_by_whom(summary, turn)
    return summary


def _count_by_whom(summary: Summary, turn: Counters) -> None:
    """By user and by assistant: turns, and tokens and cost, which include those of subagents.
    Probes, trials and the playground have no assistant."""
    trace = summary.trace
    if trace.kind == Trace.Kind.REPLAY:
        return
    usage = Counters(
        tokens_in=turn.tokens_in,
        tokens_out=turn.tokens_out,
        tokens_cached=turn.tokens_cached,
        cost=turn.cost,
    )
    counters = turn if trace.kind == Trace.Kind.TURN else usage
    summary.counters[Key(Metric.Kind.USER, "", str(trace.owner_id))] = counters
    if trace.kind in (Trace.Kind.TURN, Trace.Kind.SUBAGENT):
        assistant = assistant_of(trace)
        summary.counters[Key(Metric.Kind.ASSISTANT, "", assistant)] = counters
        summary.facets |= _facets([(Facet.Name.ASSISTANT, assistant)])


def assistant_of(trace: Trace) -> str:
    """The name of the turn's assistant; for a subagent, that of the turn that started it. Empty
    without one."""
    turn: Trace | None = trace
    while turn is not None and turn.kind == Trace.Kind.SUBAGENT:
        turn = Trace.objects.filter(spans=turn.parent_id).first() if turn.parent_id else None
    attributes = turn.attributes if turn and isinstance(turn.attributes, Mapping) else {}
    name = attributes.get("preset")
    return storable(name)[:MAX_DIGEST_NAME] if isinstance(name, str) else ""


def bare(trace: Trace) -> Summary:
    """The summary of a trace whose spans cannot be read: that it ended, and when."""
    turn = Counters(count=1)
    turn.add_duration(milliseconds(trace.started, trace.ended), None)
    if trace.status == Trace.Status.FAILED:
        turn.add_error("", None)
    key = Key(Metric.Kind.TURN, trace.kind, trace.status)
    return Summary(trace, _figures(turn, [], []), counters={key: turn})


def milliseconds(start: datetime | None, end: datetime | None) -> float:
    """Between two times; 0 if one is unknown, or if the clock was set back."""
    if start is None or end is None:
        return 0.0
    return max(0.0, (end - start) / timedelta(milliseconds=1))


def _figures(turn: Counters, generations: Sequence[Span], calls: Sequence[Span]) -> TraceFigures:
    prices = [price for span in generations if (price := _cost(span)) is not None]
    return {
        "duration_ms": turn.total_ms,
        "rounds": turn.rounds,
        "calls": len(calls),
        "tokens_in": turn.tokens_in,
        "tokens_out": turn.tokens_out,
        "tokens": turn.tokens_in + turn.tokens_out,
        "cost": sum(prices, Decimal(0)) if prices else None,
        "has_error": bool(turn.errors or any(map(is_broken, [*generations, *calls]))),
        "has_retry": bool(turn.retries),
    }


def is_broken(span: Span) -> bool:
    """Whether a generation or a call failed. One that a person stopped or denied has not."""
    return span.status in BROKEN


def _count_turn(
    trace: Trace, spans: Sequence[Span], generations: Sequence[Span], calls: Sequence[Span]
) -> Counters:
    """The trace as a whole, of any kind."""
    root = next((span for span in spans if span.kind == Span.Kind.TURN), None)
    key = root.pk if root else None
    turn = Counters(count=1, rounds=sum(span.kind == Span.Kind.ROUND for span in spans))
    turn.add_duration(milliseconds(trace.started, trace.ended), key)
    for span in generations:
        _count_tokens(turn, span)
        turn.retries += span.number > 1
    first = [ms for span in generations if (ms := _first_token(span, trace.started)) is not None]
    if first:
        turn.add_first_token(min(first))
    if trace.status == Trace.Status.FAILED:
        turn.add_error(root.error if root else "", key)
    return turn


def _count_generation(counters: Counters, span: Span) -> None:
    counters.count += 1
    counters.retries += span.number > 1
    counters.add_duration(milliseconds(span.started, span.ended), span.pk)
    first = _first_token(span, span.started)
    if first is not None:
        counters.add_first_token(first)
    _count_tokens(counters, span)
    if is_broken(span):
        counters.add_error(span.error, span.pk)


def _count_call(counters: Counters, span: Span) -> None:
    """A call that was never sent has no duration."""
    counters.count += 1
    if span.started is not None:
        counters.add_duration(milliseconds(span.started, span.ended), span.pk)
    if is_broken(span):
        counters.add_error(span.error or _error_result(span), span.pk)


def _count_tokens(counters: Counters, span: Span) -> None:
    counters.tokens_in += _bounded(tokens(span, "prompt_tokens"))
    counters.tokens_out += _bounded(tokens(span, "completion_tokens"))
    counters.tokens_cached += _bounded(cached_tokens(_generation(span).get("usage")))
    counters.cost += _cost(span) or Decimal(0)


def _cost(span: Span) -> Decimal | None:
    dollars = cost(_generation(span).get("usage"), _generation(span).get("prices"))
    return None if dollars is None else min(dollars, MAX_DIGEST_DOLLARS).quantize(NANODOLLAR)


def _bounded(count: int) -> int:
    return min(max(0, count), MAX_DIGEST_TOKENS)


def _first_token(span: Span, since: datetime | None) -> float | None:
    """Milliseconds from a moment to the first token of a generation."""
    timings = _generation(span).get("timings")
    by_name = timings if isinstance(timings, Mapping) else {}
    first, sent = by_name.get("first_token_ms"), by_name.get("send_ms", 0)
    if not isinstance(first, int | float) or not isinstance(sent, int | float):
        return None
    return milliseconds(since, span.started) + max(0.0, sent + first)


def _error_result(span: Span) -> str:
    """The beginning of the result that the model received for a failed call."""
    payload = (
        Payload.objects.filter(
            span=span, stage=Payload.Stage.SHOWN, size__lt=MAX_ERROR_RESULT_BYTES
        )
        .select_related("span__trace")
        .first()
    )
    try:
        text = load(payload).decode(errors="replace") if payload else ""
    except PayloadCorrupt:
        return ""
    return " ".join(text[: 2 * MAX_DIGEST_ERROR].split())


def _model_of(span: Span) -> Key:
    return Key(Metric.Kind.GENERATION, _label(span, "provider"), _label(span, "model", span.name))


def _model_of_user(trace: Trace, span: Span) -> Key:
    owner, model = str(trace.owner_id), _label(span, "model", span.name)
    return Key(Metric.Kind.USER_MODEL, owner, model)


def _tool_of(span: Span) -> Key:
    return Key(Metric.Kind.TOOL, _label(span, "server"), _tool(span))


def _tool(span: Span) -> str:
    """UNKNOWN_TOOL for names that no tool has: models invent any number of them."""
    if _call(span).get("offered") is False:
        return UNKNOWN_TOOL
    return _label(span, "tool", span.name)


def _generation_facets(span: Span) -> Facets:
    return _facets(
        (
            (Facet.Name.MODEL, _label(span, "model", span.name)),
            (Facet.Name.PROVIDER, _label(span, "provider")),
            (Facet.Name.DIALECT, _label(span, "dialect")),
        )
    )


def _call_facets(span: Span) -> Facets:
    return _facets(
        (
            (Facet.Name.SERVER, _label(span, "server")),
            (Facet.Name.TOOL, _tool(span)),
        )
    )


def _facets(pairs: Iterable[tuple[Facet.Name, str]]) -> Facets:
    return {(name.value, value) for name, value in pairs if value}


def _label(span: Span, name: str, otherwise: str = "") -> str:
    """The attribute, cut to the size of a label column so that equal rows are found again."""
    attributes: Mapping[str, object] = _generation(span)
    value = attributes.get(name)
    return storable(value if isinstance(value, str) and value else otherwise)[:MAX_DIGEST_NAME]


def _generation(span: Span) -> GenerationAttributes:
    return generation_attributes(span) if isinstance(span.attributes, Mapping) else {}


def _call(span: Span) -> CallAttributes:
    return call_attributes(span) if isinstance(span.attributes, Mapping) else {}
