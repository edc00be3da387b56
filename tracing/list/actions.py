"""What is done with several traces of the list at once."""

from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict

from db.public_ids import parse_public_id
from limits.traces import MAX_BULK_TRACES
from tracing.list.query import find
from tracing.list.trace_filter import read
from tracing.models import Deletion, Trace
from tracing.permissions import DELETE_TRACE, holds
from tracing.retention import removal

# Traces that are deleted in a request; more are deleted by a worker.
AT_ONCE = 100
SHOWN = 10


@dataclass(frozen=True)
class Chosen:
    """The traces of an act by primary key, in the list's order, at most `MAX_BULK_TRACES`."""

    ids: list[int]
    # More fit, and are not among them.
    is_cut: bool = False

    @property
    def traces(self) -> QuerySet[Trace]:
        return Trace.objects.filter(pk__in=self.ids).order_by("-started", "-id")

    @property
    def running(self) -> int:
        return self.traces.filter(status=Trace.Status.RUNNING).count()


def chosen(user: Any, posted: QueryDict, zone: tzinfo) -> Chosen:
    """What a person chose among what they may see: rows by public id, or `all` of a list."""
    if posted.get("all") == "1":
        trace_filter = read(QueryDict(posted.get("wish", "").removeprefix("?")), zone)
        ids = find(user, trace_filter).first(MAX_BULK_TRACES + 1)
        return Chosen(ids[:MAX_BULK_TRACES], is_cut=len(ids) > MAX_BULK_TRACES)
    wanted = [one for one in map(parse_public_id, posted.getlist("trace")[:MAX_BULK_TRACES]) if one]
    traces = Trace.objects.for_user(user).filter(public_id__in=wanted)
    return Chosen(list(traces.order_by("-started", "-id").values_list("pk", flat=True)))


def deletable(user: Any, what: Chosen) -> Chosen:
    """Those of them that the person may delete."""
    if holds(user, DELETE_TRACE):
        return what
    allowed = Trace.objects.deletable_by(user).filter(pk__in=what.ids)
    return replace(what, ids=list(allowed.order_by("-started", "-id").values_list("pk", flat=True)))


def delete(user: Any, what: Chosen) -> tuple[int, int]:
    """Deletes what is not running: how many are gone, and how many a worker goes on with."""
    ended = what.traces.exclude(status=Trace.Status.RUNNING)
    ids = list(ended.values_list("pk", flat=True))
    gone = removal.delete(ids[:AT_ONCE])
    rest = ids[AT_ONCE:]
    if rest:
        Deletion.objects.create(user=user, traces=rest, total=len(rest))
    return gone, len(rest)
