"""Claiming a tool call, and marking it as sent: both by compare-and-set.

    approved ──claim_call──► approved, owned ──mark_sent──► sent

`mark_sent` comes just before the bytes leave. After a crash before it the lease expires and the
call is run again; after a crash behind it only an idempotent call is.
"""

from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from chat import events
from chat.agent import subagents
from chat.agent.claimed_call import ClaimedCall, Status
from chat.engine.tool_calls import questions
from chat.engine.worker.identity import process_name
from chat.errors import Fenced
from chat.models import Turn
from db.threads import after_commit
from limits.turns import MAX_LEASE
from tracing.models import Payload, Span
from tracing.models.attributes import call_attributes
from tracing.store import payloads


def claim_call(
    call_id: int, task_id: str = "", started: datetime | None = None
) -> ClaimedCall | None:
    """Takes an approved call over; None if it is not approved, has an owner, or its turn is over or
    to stop. `started` is when its task began: the wait for the database is a part of the call."""
    now = timezone.now()
    free = Q(owner="") | Q(lease_expires__lt=now)
    stopped = ~Q(trace__turn__status__in=Turn.OPEN) | Q(trace__turn__stop_requested__isnull=False)
    with transaction.atomic():
        approved = Span.objects.filter(pk=call_id, kind=Span.Kind.TOOL, status=Status.APPROVED)
        runnable = approved.filter(free).exclude(stopped).values_list("pk", flat=True)
        if not list(runnable):
            return None
        claimed = approved.filter(free).update(
            owner=process_name(),
            token=F("token") + 1,
            lease_expires=now + MAX_LEASE,
            started=started or now,
        )
        return _read_call(call_id, task_id) if claimed else None


def _read_call(call_id: int, task_id: str) -> ClaimedCall:
    span = Span.objects.select_related("parent", "trace").get(pk=call_id)
    call_attributes(span)["task_id"] = task_id
    Span.objects.filter(pk=call_id).update(attributes=span.attributes)
    related = ("conversation__archive", "conversation__preset", "model__preset", "user")
    turn = Turn.objects.select_related(*related).get(trace_id=span.trace_id)
    payload = Payload.objects.select_related("span__trace").get(
        span=span, stage=Payload.Stage.ARGUMENTS
    )
    of_the_model = payloads.load(payload).decode(errors="surrogatepass")
    arguments = call_attributes(span).get("edited_arguments", of_the_model)
    return ClaimedCall(span, turn, span.token, arguments, questions.answers_to(span))


def mark_sent(call: ClaimedCall) -> None:
    """The compare-and-set just before the bytes leave. Raises `Fenced`."""
    span = call.span
    call_attributes(span)["sent"] = timezone.now().isoformat()
    owned = Span.objects.filter(pk=span.pk, token=call.token, status=Status.APPROVED)
    if not owned.update(status=Status.SENT, attributes=span.attributes):
        raise Fenced(f"call {span.pk} is over or was taken over")
    span.status = Status.SENT
    after_commit(partial(announce_call, call, None))


def announce_call(call: ClaimedCall, shown: str | None) -> None:
    """The event of the call's state; `shown` is the text of its result, None before it has one."""
    assert call.span.parent is not None
    events.emit(
        call.turn.conversation.public_id,
        events.call_event(call.turn, call.span.parent.number, call.span, call.arguments, shown),
    )
    subagents.announce_progress(call.turn)
