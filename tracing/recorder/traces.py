"""The rows of traces: how they begin and end."""

from datetime import datetime

from django.db.models import Case, Value, When
from django.utils import timezone

from tracing.models import Span, Trace
from tracing.models.attributes import TraceAttributes, TurnAttributes

SPAN_STATUS = {
    Trace.Status.SUCCEEDED: Span.Status.SUCCEEDED,
    Trace.Status.FAILED: Span.Status.FAILED,
    Trace.Status.STOPPED: Span.Status.CANCELLED,
}


def begin_trace(
    archive_id: int,
    owner_id: int,
    name: str,
    attributes: TraceAttributes,
    *,
    kind: Trace.Kind = Trace.Kind.TURN,
    parent: Span | None = None,
    root_name: str = "turn",
    root_attributes: TurnAttributes | None = None,
    is_listed: bool = True,
    started: datetime | None = None,
) -> Span:
    """Writes a trace and its root span, in two statements; the root, with its trace. `parent` is
    the tool call that a subagent's trace is the result of. Lists leave out what is not
    `is_listed`. `started`: when it began, if that was not now."""
    trace = Trace.objects.insert(
        archive_id=archive_id,
        owner_id=owner_id,
        kind=kind,
        parent=parent,
        name=name,
        is_listed=is_listed,
        attributes=attributes,
        started=started or timezone.now(),
    )
    return Span.objects.insert(
        trace=trace,
        kind=Span.Kind.TURN,
        name=root_name,
        started=trace.started,
        attributes=root_attributes or {},
    )


def end_turn_trace(trace_id: int, status: Trace.Status, error: str, ended: datetime) -> None:
    """Ends the trace of a turn and its open spans, in two statements, but for the tool calls: each
    has an owner who closes it."""
    Trace.objects.end(trace_id, status, ended)
    Span.objects.end_running(trace_id, SPAN_STATUS[status], ended, error)


def end_if_running(trace_id: int | None, status: Trace.Status, error: str = "") -> bool:
    """Ends the trace of a job that is over, was given up or replaced, with its open spans. The
    outcome of a tool call that was sent is unknown. False: the trace was over, or deleted."""
    now = timezone.now()
    running = Trace.objects.filter(pk__in=[trace_id], status=Trace.Status.RUNNING)
    if not running.update(status=status, ended=now):
        return False
    span_status = Case(
        When(status=Span.Status.SENT, then=Value(Span.Status.OUTCOME_UNKNOWN)),
        default=Value(SPAN_STATUS[status]),
    )
    open_spans = Span.objects.filter(
        trace__in=[trace_id], status__in=[Span.Status.RUNNING, Span.Status.SENT]
    )
    open_spans.update(status=span_status, ended=now, error=error)
    return True
