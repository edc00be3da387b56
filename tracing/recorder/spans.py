"""The rows of spans: written when an operation begins, closed when it has ended.

`close_span` and `close_spans` are for spans that only the caller writes. What processes compete for
(the claim of a tool call, its approval, its result) is a compare-and-set, as `settle_call` is.
"""

from collections.abc import Mapping
from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone

from tracing.models import Span
from tracing.models.attributes import (
    CallAttributes,
    CompactionAttributes,
    GenerationAttributes,
    RoundAttributes,
)


def open_round(
    root: Span,
    number: int = 1,
    attributes: RoundAttributes | None = None,
    started: datetime | None = None,
) -> Span:
    return Span.objects.insert(
        trace=root.trace,
        parent=root,
        kind=Span.Kind.ROUND,
        name=f"round {number}",
        number=number,
        started=started or timezone.now(),
        attributes=attributes or {},
    )


def open_generation(
    parent: Span,
    model: str,
    attributes: GenerationAttributes,
    number: int = 1,
    started: datetime | None = None,
) -> Span:
    """Writes one attempt of a model call, in a round or a compaction; `model` is the id that is
    asked for."""
    return Span.objects.insert(
        trace=parent.trace,
        parent=parent,
        kind=Span.Kind.GENERATION,
        name=model,
        number=number,
        started=started or timezone.now(),
        attributes=attributes,
    )


def open_call(
    round_: Span,
    name: str,
    attributes: CallAttributes,
    *,
    status: Span.Status,
    number: int = 1,
    error: str = "",
) -> Span:
    """Writes a tool call in its first state: one that is sent starts now, one that is denied ends
    now."""
    now = timezone.now()
    return Span.objects.insert(
        trace=round_.trace,
        parent=round_,
        kind=Span.Kind.TOOL,
        name=name,
        number=number,
        status=status,
        created=now,
        started=now if status == Span.Status.SENT else None,
        ended=now if status == Span.Status.DENIED else None,
        error=error,
        attributes=attributes,
        idempotent=attributes.get("idempotent"),
        tool_hash=attributes.get("tool_hash"),
    )


def open_compaction(
    root: Span,
    name: str,
    attributes: CompactionAttributes,
    *,
    status: Span.Status = Span.Status.RUNNING,
    started: datetime | None = None,
) -> Span:
    """Writes a compaction that begins now; or, with `started`, one that ends now with this status.
    Two statements: it is numbered behind those of its trace."""
    count = Span.objects.filter(trace=root.trace_id, kind=Span.Kind.COMPACTION).count()
    now = timezone.now()
    return Span.objects.insert(
        trace=root.trace,
        parent=root,
        kind=Span.Kind.COMPACTION,
        name=name,
        number=count + 1,
        status=status,
        created=started or now,
        started=started or now,
        ended=now if started else None,
        attributes=attributes,
    )


def close_span(
    span: Span,
    status: Span.Status,
    error: str = "",
    attributes: Mapping[str, object] | None = None,
    ended: datetime | None = None,
    retry_at: datetime | None = None,
) -> None:
    """Closes a span whose only writer is the caller, now or as of `ended`. `attributes` are added
    to its own. `retry_at`: when the next attempt is due, if there is to be one."""
    span.status, span.error, span.ended = status, error, ended or timezone.now()
    span.attributes |= attributes or {}
    span.retry_at = retry_at
    if retry_at is not None:
        span.attributes |= {"retry_at": retry_at.isoformat()}
    Span.objects.close(
        span.pk,
        ended=span.ended,
        status=span.status,
        error=span.error,
        attributes=span.attributes,
        retry_at=span.retry_at,
    )


def close_if_running(span: Span, status: Span.Status) -> None:
    """Closes a span unless that was done before."""
    Span.objects.close_running(span.pk, status, timezone.now())


def close_spans(spans: "QuerySet[Span]", status: Span.Status, error: str = "") -> int:
    """Closes the rows of a queryset; how many there were."""
    return spans.update(status=status, error=error, ended=timezone.now())


def settle_claimed_call(call: Span, token: int, status: Span.Status) -> bool:
    """The same for the owner of a claim, with its token, of a call in any state that has one."""
    now = timezone.now()
    if not Span.objects.settle(call.pk, token, status, now, call.attributes):
        return False
    call.status, call.ended = status, now
    return True


def settle_call(held: "QuerySet[Span]", call: Span, status: Span.Status) -> bool:
    """Closes a call and frees its claim by compare-and-set, with its attributes as they are in
    memory. False: its row is not, or not any more, in `held`, and nothing was written."""
    now = timezone.now()
    free = {"owner": "", "lease_expires": None}
    if not held.update(status=status, ended=now, attributes=call.attributes, **free):
        return False
    call.status, call.ended = status, now
    return True
