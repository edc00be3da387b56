"""Actions on several traces of the list: selection and deletion."""

from dataclasses import dataclass, replace
from datetime import tzinfo

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import QueryDict

from audit.models import Action
from audit.recording import record
from db.public_ids import parse_public_id
from db.users import AnyUser
from limits.audit import MAX_NAMED_TRACES
from limits.traces import MAX_BULK_TRACES
from tracing.list.query import find
from tracing.list.trace_filter import read
from tracing.models import Deletion, Trace
from tracing.permissions import DELETE_TRACE, holds
from tracing.retention import removal

# Traces deleted within the request; a worker deletes the others.
DELETED_AT_ONCE = 100
LISTED = 10


@dataclass(frozen=True)
class Selection:
    """The selected traces by primary key, in the list's order, at most `MAX_BULK_TRACES`.

    `is_cut`: more match the filter.
    """

    ids: list[int]
    is_cut: bool = False

    @property
    def traces(self) -> QuerySet[Trace]:
        return Trace.objects.filter(pk__in=self.ids).order_by("-started", "-id")

    @property
    def running(self) -> int:
        return self.traces.filter(status=Trace.Status.RUNNING).count()


def read_selection(user: AnyUser, posted: QueryDict, zone: tzinfo) -> Selection:
    """Traces that a form selects among those that the user may see: by public id, or with `all`
    those that match the filter."""
    if posted.get("all") == "1":
        trace_filter = read(QueryDict(posted.get("wish", "").removeprefix("?")), zone)
        ids = find(user, trace_filter).first(MAX_BULK_TRACES + 1)
        return Selection(ids[:MAX_BULK_TRACES], is_cut=len(ids) > MAX_BULK_TRACES)
    public_ids = [
        one for one in map(parse_public_id, posted.getlist("trace")[:MAX_BULK_TRACES]) if one
    ]
    traces = Trace.objects.for_user(user).filter(public_id__in=public_ids)
    return Selection(list(traces.order_by("-started", "-id").values_list("pk", flat=True)))


def deletable(user: AnyUser, selection: Selection) -> Selection:
    """Those of the selection that the user may delete."""
    if holds(user, DELETE_TRACE):
        return selection
    allowed = Trace.objects.deletable_by(user).filter(pk__in=selection.ids)
    return replace(
        selection, ids=list(allowed.order_by("-started", "-id").values_list("pk", flat=True))
    )


def delete(user: User, selection: Selection) -> tuple[int, int]:
    """Deletes the traces that do not run. Returns the number deleted now, and the number left to a
    worker."""
    ended = selection.traces.exclude(status=Trace.Status.RUNNING)
    ids = list(ended.values_list("pk", flat=True))
    if ids:
        named = ended.values_list("public_id", flat=True)[:MAX_NAMED_TRACES]
        record(Action.TRACES_DELETED, user, count=len(ids), traces=[str(one) for one in named])
    deleted = removal.delete(ids[:DELETED_AT_ONCE])
    rest = ids[DELETED_AT_ONCE:]
    if rest:
        Deletion.objects.create(user=user, traces=rest, total=len(rest))
    return deleted, len(rest)
