"""What is too old to be kept: `TRACE_RETENTION_DAYS`, and `TRACE_RETENTION_DAYS_OTHERS` for what
is no turn (probes, trials, playground runs, replays). Subagents go with the turns that began them.
"""

from datetime import timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from tracing.models import Trace, TraceQuerySet
from tracing.retention import removal

# Traces at once: a transaction holds SQLite's one write lock.
BATCH = removal.AT_ONCE


def due(turns: float | None, others: float | None) -> TraceQuerySet:
    """The traces that ended more than so many days ago, oldest first; None keeps them for ever.

    What is not counted yet is, before it goes.
    """
    old = Q(pk__in=[])
    if turns is not None:
        old |= Q(kind=Trace.Kind.TURN) & _before(turns)
    if others is not None:
        old |= ~Q(kind__in=[Trace.Kind.TURN, Trace.Kind.SUBAGENT]) & _before(others)
    ended = Trace.objects.exclude(status=Trace.Status.RUNNING)
    return ended.filter(old, removed=None, digested__isnull=False).order_by("started", "id")


def days() -> tuple[float | None, float | None]:
    """As the settings say: for turns, and for everything else."""
    return settings.TRACE_RETENTION_DAYS, settings.TRACE_RETENTION_DAYS_OTHERS


def remove_some(turns: float | None, others: float | None) -> int:
    """Removes the evidence of a batch of what is due; how many traces."""
    if turns is None and others is None:
        return 0
    return removal.strip(list(due(turns, others).values_list("pk", flat=True)[:BATCH]))


def _before(age: float) -> Q:
    moment = timezone.now() - timedelta(days=age)
    # Nothing ends before it starts: this finds them by the index of the list.
    return Q(started__lt=moment, ended__lt=moment)
