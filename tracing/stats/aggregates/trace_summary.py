"""What an ended trace comes to: its figures, what it had to do with, and what of it is counted."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

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
from tracing.models import Facet, Measure, Payload, Span, Trace
from tracing.models.attributes import (
    CallAttributes,
    GenerationAttributes,
    call_attributes,
    generation_attributes,
)
from tracing.stats.aggregates.counters import Key, Tally
from tracing.store.payloads import load

BROKEN = frozenset({Span.Status.FAILED, Span.Status.OUTCOME_UNKNOWN})
# The tool of calls by names that no tool has.
UNKNOWN_TOOL = "_unknown"
NANODOLLAR = Decimal("0.000000001")

Facets = set[tuple[str, str]]


@dataclass
class Summary:
    """`figures` are columns of the trace."""

    trace: Trace
    figures: dict[str, Any] = field(default_factory=dict)
    facets: Facets = field(default_factory=set)
    tallies: dict[Key, Tally] = field(default_factory=lambda: defaultdict(Tally))


def summarize(trace: Trace) -> Summary:
    """Reads an ended trace: one query, and one for each call that failed."""
    spans = list(trace.spans.order_by("id").defer("owner", "token", "lease_expires"))
    generations = [span for span in spans if span.kind == Span.Kind.GENERATION]
    calls = [span for span in spans if span.kind == Span.Kind.TOOL]
    summary = Summary(trace)
    for span in generations:
        summary.facets |= _generation_facets(span)
    for span in calls:
        summary.facets |= _call_facets(span)
    if trace.kind != Trace.Kind.REPLAY:  # which asks nobody
        for span in generations:
            _count_generation(summary.tallies[_model_of(span)], span)
        for span in calls:
            _count_call(summary.tallies[_tool_of(span)], span)
    turn = _count_turn(trace, spans, generations, calls)
    summary.tallies[Key(Measure.Kind.TURN, trace.kind, trace.status)] = turn
    _count_by_whom(summary, turn)
    summary.figures = _figures(turn, generations, calls)
    return summary


def _count_by_whom(summary: Summary, turn: Tally) -> None:
    """By user and by assistant: turns, and the tokens and cost of all that was asked for them, by
    subagents too. Probes, trials and the playground have no assistant."""
    trace = summary.trace
    if trace.kind == Trace.Kind.REPLAY:
        return
    spent = Tally(
        tokens_in=turn.tokens_in,
        tokens_out=turn.tokens_out,
        tokens_cached=turn.tokens_cached,
        cost=turn.cost,
    )
    counted = turn if trace.kind == Trace.Kind.TURN else spent
    summary.tallies[Key(Measure.Kind.USER, "", str(trace.owner_id))] = counted
    if trace.kind in (Trace.Kind.TURN, Trace.Kind.SUBAGENT):
        assistant = assistant_of(trace)
        summary.tallies[Key(Measure.Kind.ASSISTANT, "", assistant)] = counted
        summary.facets |= _facets([(Facet.Name.ASSISTANT, assistant)])


def assistant_of(trace: Trace) -> str:
    """The name of the assistant that a turn was asked of; of a subagent that of the turn that
    began it. Empty for none."""
    asked: Trace | None = trace
    while asked is not None and asked.kind == Trace.Kind.SUBAGENT:
        asked = Trace.objects.filter(spans=asked.parent_id).first() if asked.parent_id else None
    noted = asked.attributes if asked and isinstance(asked.attributes, Mapping) else {}
    name = noted.get("preset")
    return storable(name)[:MAX_DIGEST_NAME] if isinstance(name, str) else ""


def bare(trace: Trace) -> Summary:
    """What can be said of a trace whose spans cannot be read."""
    turn = Tally(count=1)
    turn.took(milliseconds(trace.started, trace.ended), None)
    if trace.status == Trace.Status.FAILED:
        turn.failed("", None)
    key = Key(Measure.Kind.TURN, trace.kind, trace.status)
    return Summary(trace, _figures(turn, [], []), tallies={key: turn})


def milliseconds(start: datetime | None, end: datetime | None) -> float:
    """Of a stretch of time; 0 of one that has no beginning or no end, and for a clock set back."""
    if start is None or end is None:
        return 0.0
    return max(0.0, (end - start) / timedelta(milliseconds=1))


def _figures(turn: Tally, generations: Sequence[Span], calls: Sequence[Span]) -> dict[str, Any]:
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
    """Whether a generation or a call failed. What a person stopped or denied has not."""
    return span.status in BROKEN


def _count_turn(
    trace: Trace, spans: Sequence[Span], generations: Sequence[Span], calls: Sequence[Span]
) -> Tally:
    """The trace as a whole, whatever it is of."""
    root = next((span for span in spans if span.kind == Span.Kind.TURN), None)
    key = root.pk if root else None
    turn = Tally(count=1, rounds=sum(span.kind == Span.Kind.ROUND for span in spans))
    turn.took(milliseconds(trace.started, trace.ended), key)
    for span in generations:
        _count_tokens(turn, span)
        turn.retries += span.number > 1
    first = [ms for span in generations if (ms := _first_token(span, trace.started)) is not None]
    if first:
        turn.began(min(first))
    if trace.status == Trace.Status.FAILED:
        turn.failed(root.error if root else "", key)
    return turn


def _count_generation(tally: Tally, span: Span) -> None:
    tally.count += 1
    tally.retries += span.number > 1
    tally.took(milliseconds(span.started, span.ended), span.pk)
    first = _first_token(span, span.started)
    if first is not None:
        tally.began(first)
    _count_tokens(tally, span)
    if is_broken(span):
        tally.failed(span.error, span.pk)


def _count_call(tally: Tally, span: Span) -> None:
    """A call that was never sent has no duration: nobody waited for the tool."""
    tally.count += 1
    if span.started is not None:
        tally.took(milliseconds(span.started, span.ended), span.pk)
    if is_broken(span):
        tally.failed(span.error or _told(span), span.pk)


def _count_tokens(tally: Tally, span: Span) -> None:
    tally.tokens_in += _bounded(tokens(span, "prompt_tokens"))
    tally.tokens_out += _bounded(tokens(span, "completion_tokens"))
    tally.tokens_cached += _bounded(cached_tokens(_noted(span).get("usage")))
    tally.cost += _cost(span) or Decimal(0)


def _cost(span: Span) -> Decimal | None:
    known = cost(_noted(span).get("usage"), _noted(span).get("prices"))
    return None if known is None else min(known, MAX_DIGEST_DOLLARS).quantize(NANODOLLAR)


def _bounded(count: int) -> int:
    return min(max(0, count), MAX_DIGEST_TOKENS)


def _first_token(span: Span, since: datetime | None) -> float | None:
    """Milliseconds from a moment to the first token of a generation."""
    timings = _noted(span).get("timings")
    known = timings if isinstance(timings, Mapping) else {}
    first, sent = known.get("first_token_ms"), known.get("send_ms", 0)
    if not isinstance(first, int | float) or not isinstance(sent, int | float):
        return None
    return milliseconds(since, span.started) + max(0.0, sent + first)


def _told(span: Span) -> str:
    """The beginning of what the model was told of a call that failed."""
    payload = (
        Payload.objects.filter(
            span=span, stage=Payload.Stage.SHOWN, size__lt=MAX_ERROR_RESULT_BYTES
        )
        .select_related("span__trace")
        .first()
    )
    try:
        said = load(payload).decode(errors="replace") if payload else ""
    except PayloadCorrupt:
        return ""
    return " ".join(said[: 2 * MAX_DIGEST_ERROR].split())


def _model_of(span: Span) -> Key:
    return Key(Measure.Kind.GENERATION, _label(span, "provider"), _label(span, "model", span.name))


def _tool_of(span: Span) -> Key:
    return Key(Measure.Kind.TOOL, _label(span, "server"), _tool(span))


def _tool(span: Span) -> str:
    """Names that models invent are one label: there is no end to them."""
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


def _facets(found: Iterable[tuple[Facet.Name, str]]) -> Facets:
    return {(name.value, value) for name, value in found if value}


def _label(span: Span, name: str, otherwise: str = "") -> str:
    """As a column for labels takes it, so that equal rows are found again."""
    attributes: Mapping[str, object] = _noted(span)
    value = attributes.get(name)
    return storable(value if isinstance(value, str) and value else otherwise)[:MAX_DIGEST_NAME]


def _noted(span: Span) -> GenerationAttributes:
    return generation_attributes(span) if isinstance(span.attributes, Mapping) else {}


def _call(span: Span) -> CallAttributes:
    return call_attributes(span) if isinstance(span.attributes, Mapping) else {}
