"""Which trace a call goes on with: the one whose last request is the beginning of this one.

A loop is open while its last answer asked for tools, or failed in a way after which callers try
again. Two calls that go on with the same answer are two branches: the first one that is written
goes on, the other begins a trace of its own.
"""

from datetime import datetime

from django.db.models import F, Q
from django.utils import timezone

from api.gateway.call import Call
from api.gateway.models import Loop, Session
from api.gateway.reading.given import Given
from limits.gateway import MAX_GATEWAY_LOOP_PAUSE, MAX_GATEWAY_RETRY_PAUSE
from tracing import recorder
from tracing.models import Archive, Trace


def session_of(call: Call) -> Session:
    """The session of a call, made if there is none. A call that names none belongs to the day of
    its token."""
    day = call.started.date().isoformat()
    key = call.session or f"token {call.caller.token} {day}"
    owner = call.caller.user
    session = Session.objects.select_related("archive").filter(owner=owner, key=key).first()
    if session is None:
        name = call.session or f"{call.caller.token_name}, {day}"
        archive = Archive.objects.create(owner=owner)
        session = Session.objects.create(archive=archive, owner=owner, key=key, name=name)
    return session


def take(session: Session, call: Call, given: Given) -> Loop | None:
    """The loop that the call goes on with, which nobody else goes on with then; None for one that
    begins anew."""
    conditions = _conditions(given)
    if conditions is None:
        return None
    loops = Loop.objects.filter(conditions, session=session, ended__lte=call.started)
    running = loops.filter(trace__status=Trace.Status.RUNNING).select_related("trace", "round")
    for loop in running.order_by("-ended")[:3]:
        own = Loop.objects.filter(pk=loop.pk, version=loop.version)
        if own.update(version=F("version") + 1):
            loop.version += 1
            return loop
    return None


def end_idle(now: datetime | None = None) -> int:
    """Ends the loops that nobody has gone on with; how many are still open."""
    now = now or timezone.now()
    over = Q(has_failed=False, ended__lt=now - MAX_GATEWAY_LOOP_PAUSE)
    given_up = Q(has_failed=True, ended__lt=now - MAX_GATEWAY_RETRY_PAUSE)
    for loop in Loop.objects.filter(over | given_up).select_related("round"):
        if Loop.objects.filter(pk=loop.pk, version=loop.version).delete()[0]:
            status = Trace.Status.FAILED if loop.has_failed else Trace.Status.SUCCEEDED
            error = loop.round.error if loop.has_failed else ""
            recorder.end_if_running(loop.trace_id, status, error)
            Trace.objects.filter(pk=loop.trace_id).update(ended=loop.ended)
    return Loop.objects.count()


def _conditions(given: Given) -> Q | None:
    conditions: list[Q] = []
    if given.before:
        conditions.append(Q(digest=given.before, has_failed=False))
    if given.digest:
        conditions.append(Q(digest=given.digest, has_failed=True))
    if given.previous and given.results:
        conditions.append(Q(response=given.previous, has_failed=False))
    if not conditions:
        return None
    any_of = conditions[0]
    for one in conditions[1:]:
        any_of |= one
    return any_of
