"""Whether a trace has changed since a page of it was made, without reading it."""

from hashlib import sha256

from django.db.models import Count, Max, Q

from tracing.models import Payload, Span, Trace


def version(trace: Trace) -> str:
    """Changes whenever a span begins, ends or changes its state, also in a subagent, or a payload
    comes, or a person does something. Four queries.

    To be asked before the trace is read: what comes meanwhile is then seen as a change.
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
