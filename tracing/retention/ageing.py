"""Removes the evidence of old traces: after `TRACE_RETENTION_DAYS` of turns, with their subagents;
after `TRACE_RETENTION_DAYS_OTHERS` of probes, trials, playground runs and replays.
"""

from datetime import timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from tracing.models import Trace, TraceQuerySet
from tracing.retention import removal

# Traces in a transaction, which holds SQLite's one write lock.
BATCH = removal.AT_ONCE


def due(turns: float | None, others: float | None) -> TraceQuerySet:
    """The traces that ended more than this many days ago, oldest first; None keeps them for ever.
    Those are left out that may not be removed yet: their figures, or those of a subagent, are not
    computed, or a subagent runs."""
    old = Q(pk__in=[])
    if turns is not None:
        old |= Q(kind=Trace.Kind.TURN) & _before(turns)
    if others is not None:
        old |= ~Q(kind__in=[Trace.Kind.TURN, Trace.Kind.SUBAGENT]) & _before(others)
    ended = Trace.objects.exclude(status=Trace.Status.RUNNING)
    counted = ended.filter(old, removed=None, digested__isnull=False)
    return removal.removable(counted).order_by("started", "id")


def days() -> tuple[float | None, float | None]:
    """The settings: days for turns, and for the rest."""
    return settings.TRACE_RETENTION_DAYS, settings.TRACE_RETENTION_DAYS_OTHERS


def remove_some(turns: float | None, others: float | None) -> int:
    """Removes the evidence of a batch of due traces; how many traces."""
    if turns is None and others is None:
        return 0
    return removal.strip(list(due(turns, others).values_list("pk", flat=True)[:BATCH]))


def _before(age: float) -> Q:
    moment = timezone.now() - timedelta(days=age)
    # The condition on `started` follows from the other, and has an index.
    return Q(started__lt=moment, ended__lt=moment)
