"""The phase of a running trace, as its page and the list name it: "waiting for approval".

Being stopped goes before all; then the wait for a person, also of a subagent; then the trace's own
work; then the wait for a subagent or for the next attempt.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q, TextChoices
from django.utils import timezone

from languages.later import later
from tracing.journal.time_segments import retry_wait
from tracing.models import Action, Span, Trace
from tracing.models.attributes import call_attributes


class Phase(TextChoices):
    """Labels are texts of the interface."""

    STOPPING = "stopping", later("stopping")
    APPROVAL = "approval", later("waiting for approval")
    INPUT = "input", later("waiting for your input")
    RETRY = "retry", later("waiting to try again")
    SUBAGENT = "subagent", later("waiting for a subagent")
    SUMMARY = "summary", later("making room in the context")
    QUEUED = "queued", later("queued")
    RUNNING = "running", later("running")


class TraceState(NamedTuple):
    """The badge of a running trace: `status` chooses colour and icon."""

    status: str
    word: str


_WAITING = frozenset({Phase.APPROVAL, Phase.INPUT, Phase.RETRY, Phase.SUBAGENT, Phase.QUEUED})
_STATUS = Span.Status


def states(traces: Sequence[Trace]) -> dict[int, TraceState]:
    """The states of the running traces among these, by primary key. Three queries, none if none
    runs."""
    running = [trace.pk for trace in traces if trace.is_running]
    if not running:
        return {}
    stop_requested = set(
        Action.objects.filter(trace__in=running, kind="stop").values_list("trace_id", flat=True)
    )
    started, spans, now = _started(running), _open_spans(running), timezone.now()
    phases = {pk: _phase(pk, spans, now) if pk in started else Phase.QUEUED for pk in running}
    phases |= dict.fromkeys(stop_requested, Phase.STOPPING)
    return {pk: TraceState(_status(phase), str(phase.label)) for pk, phase in phases.items()}


def state(trace: Trace) -> TraceState | None:
    """None of a trace that has ended."""
    return states([trace]).get(trace.pk)


def _status(phase: Phase) -> str:
    return "waiting" if phase in _WAITING else "running"


def _started(running: list[int]) -> set[int]:
    """The traces that a worker has begun to work on."""
    steps = Span.objects.filter(trace=OuterRef("pk")).exclude(kind=Span.Kind.TURN)
    traces = Trace.objects.filter(Exists(steps.order_by()), pk__in=running)
    return set(traces.values_list("pk", flat=True))


def _open_spans(running: list[int]) -> dict[int, list[Span]]:
    """By trace its open spans, and the failed attempts of rounds that have not ended. Spans of
    subagents stand also under the traces above them."""
    parents = ("trace__parent__trace_id", "trace__parent__trace__parent__trace_id")
    own_or_nested = Q(trace__in=running)
    for parent in parents:
        own_or_nested |= Q(**{f"{parent}__in": running})
    failed = Q(kind=Span.Kind.GENERATION, status=_STATUS.FAILED, parent__status=_STATUS.RUNNING)
    spans = Span.objects.filter(own_or_nested).filter(Q(status__in=Span.OPEN) | failed)
    open_spans: defaultdict[int, list[Span]] = defaultdict(list)
    for span in spans.exclude(kind=Span.Kind.TURN).select_related("trace__parent__trace__parent"):
        open_spans[span.trace_id].append(span)
        for trace in _ancestors(span.trace):
            open_spans[trace].append(span)
    return open_spans


def _ancestors(trace: Trace) -> Iterable[int]:
    if trace.parent is not None:
        yield trace.parent.trace_id
        if trace.parent.trace.parent is not None:
            yield trace.parent.trace.parent.trace_id


def _phase(trace_id: int, spans: dict[int, list[Span]], now: datetime) -> Phase:
    open_spans = spans.get(trace_id, [])
    calls = [span for span in open_spans if span.kind == Span.Kind.TOOL]
    if any(call.status == _STATUS.AWAITING_APPROVAL for call in calls):
        return Phase.APPROVAL
    if any(_waits_for_input(call) for call in calls):
        return Phase.INPUT
    own = [span for span in open_spans if span.trace_id == trace_id]
    if any(span.kind == Span.Kind.COMPACTION and span.is_open for span in own):
        return Phase.SUMMARY
    if any(_is_working(span) for span in own):
        return Phase.RUNNING
    if any(span.status == _STATUS.WAITING for span in own):
        return Phase.SUBAGENT
    if any(_waits_to_retry(span, now) for span in own):
        return Phase.RETRY
    return Phase.RUNNING


def _waits_for_input(call: Span) -> bool:
    return call.status == _STATUS.WAITING and "subagent" not in call_attributes(call)


def _is_working(span: Span) -> bool:
    """A running model call, or a tool call that runs or is about to."""
    if span.kind == Span.Kind.TOOL:
        return span.status in (_STATUS.SENT, _STATUS.APPROVED, _STATUS.PROPOSED)
    return span.kind == Span.Kind.GENERATION and span.status == _STATUS.RUNNING


def _waits_to_retry(span: Span, now: datetime) -> bool:
    return span.status == _STATUS.FAILED and bool(
        span.ended and (wait := retry_wait(span)) and span.ended + wait > now
    )
