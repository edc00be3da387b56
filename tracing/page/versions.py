"""The version of a trace, by which a page notices changes without reading the trace."""

from hashlib import sha256

from django.db.models import Count, Max, Q

from tracing.models import Payload, Span, Trace


def version(trace: Trace) -> str:
    """A hash that changes when a span starts, ends or changes its state (also in a subagent), a
    payload is stored, or a person acts. Four queries.

    Read it before the trace, so that later changes are noticed.
    """
    states = {f"in_{status}": Count("pk", filter=Q(status=status)) for status in Span.Status}
    spans = trace.spans.aggregate(
        Count("pk"), Max("pk"), Max("started"), Max("ended"), Count("ended"), **states
    )
    nested = Span.objects.filter(trace__parent__trace=trace)
    inner = nested.aggregate(Count("pk"), Max("pk"), Count("ended"))
    stored = Payload.objects.filter(span__trace=trace).aggregate(Count("pk"), Max("pk"))
    acts = trace.actions.aggregate(Max("pk"))
    return sha256(repr((trace.status, spans, inner, stored, acts)).encode()).hexdigest()[:16]
