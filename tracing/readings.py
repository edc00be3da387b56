"""Who read the traces of others: rows of the audit log, one an hour for a person and a trace."""

from datetime import timedelta

from django.utils import timezone

from audit.models import Action, Event
from audit.recording import record
from db.users import AnyUser
from tracing.models import Trace
from tracing.permissions import may_view_traces

EVERY = timedelta(hours=1)


def note(user: AnyUser, trace: Trace) -> Trace:
    """The trace. Records that somebody reads it who may by permission, unless it is their own."""
    if trace.owner_id == user.pk or not may_view_traces(user):
        return trace
    lately = Event.objects.filter(
        action=Action.TRACE_READ,
        actor=user.pk,
        target_id=str(trace.public_id),
        when__gt=timezone.now() - EVERY,
    )
    if not lately.exists():
        record(Action.TRACE_READ, user, trace, owner=trace.owner_id)
    return trace
