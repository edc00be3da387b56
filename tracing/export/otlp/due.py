"""Which traces are to be sent, and that they were."""

from collections.abc import Collection
from datetime import datetime

from django.utils import timezone

from limits.export import MAX_EXPORT_AGE
from tracing.export.otlp import switch
from tracing.models import Collector, Trace


def collector() -> Collector:
    """The row of where traces go now; made, with the time, when that was switched on."""
    return Collector.objects.get_or_create(
        place=switch.place(), defaults={"since": timezone.now()}
    )[0]


def due(since: datetime, refused: Collection[int], most: int) -> list[Trace]:
    """Ended traces that were not sent yet, those that ended first."""
    waiting = Trace.objects.filter(exported=None, ended__gte=since).exclude(pk__in=refused)
    waiting = waiting.select_related("parent__trace__parent")
    return list(waiting.order_by("ended", "id")[:most])


def give_up(place: Collector, now: datetime) -> int:
    """Moves `since` on; how many traces are left behind by that."""
    limit = now - MAX_EXPORT_AGE
    if place.since >= limit:
        return 0
    behind = Trace.objects.filter(exported=None, ended__gte=place.since, ended__lt=limit).count()
    Collector.objects.filter(pk=place.pk, since__lt=limit).update(since=limit)
    place.since = limit
    return behind


def mark(trace: Trace) -> bool:
    """By compare-and-set: whether it was this call that marked it."""
    unsent = Trace.objects.filter(pk=trace.pk, exported=None)
    return unsent.update(exported=timezone.now()) == 1
