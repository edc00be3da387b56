"""The traces that are due for export, and the mark that they were sent."""

from collections.abc import Collection
from datetime import datetime

from django.utils import timezone

from limits.export import MAX_EXPORT_AGE
from tracing.export.otlp import switch
from tracing.models import Collector, Trace


def collector() -> Collector:
    """The row of the present destination, made when export to it begins."""
    return Collector.objects.get_or_create(
        place=switch.place(), defaults={"since": timezone.now()}
    )[0]


def due(since: datetime, refused: Collection[int], max_traces: int) -> list[Trace]:
    """Ended traces that were not sent, in the order in which they ended."""
    unsent = Trace.objects.filter(exported=None, ended__gte=since).exclude(pk__in=refused)
    unsent = unsent.select_related("parent__trace__parent")
    return list(unsent.order_by("ended", "id")[:max_traces])


def give_up(place: Collector, now: datetime) -> int:
    """Moves `since` forward to the greatest age of export; how many traces that skips."""
    limit = now - MAX_EXPORT_AGE
    if place.since >= limit:
        return 0
    behind = Trace.objects.filter(exported=None, ended__gte=place.since, ended__lt=limit).count()
    Collector.objects.filter(pk=place.pk, since__lt=limit).update(since=limit)
    place.since = limit
    return behind


def mark(trace: Trace) -> bool:
    """Marks a trace as sent by compare-and-set; False if it was marked already."""
    unsent = Trace.objects.filter(pk=trace.pk, exported=None)
    return unsent.update(exported=timezone.now()) == 1
