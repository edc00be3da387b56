"""Ending a trace from outside of whoever writes it: of a job that was given up, or replaced."""

from django.db.models import Case, Value, When
from django.utils import timezone

from tracing.models import Span, Trace

SPAN_STATUS = {
    Trace.Status.SUCCEEDED: Span.Status.SUCCEEDED,
    Trace.Status.FAILED: Span.Status.FAILED,
    Trace.Status.STOPPED: Span.Status.CANCELLED,
}


def close_trace(trace_pk: int | None, status: Trace.Status, error: str = "") -> bool:
    """Ends a trace that still runs, and its open spans, with this error. What came of a tool call
    that was sent is unknown. False: the trace was over."""
    now = timezone.now()
    running = Trace.objects.filter(pk__in=[trace_pk], status=Trace.Status.RUNNING)
    if not running.update(status=status, ended=now):
        return False
    ended = Case(
        When(status=Span.Status.SENT, then=Value(Span.Status.OUTCOME_UNKNOWN)),
        default=Value(SPAN_STATUS[status]),
    )
    open_ones = Span.objects.filter(trace__in=[trace_pk])
    open_ones = open_ones.filter(status__in=[Span.Status.RUNNING, Span.Status.SENT])
    open_ones.update(status=ended, ended=now, error=error)
    return True
