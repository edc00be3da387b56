"""Claiming a tool call, and marking it as sent: both by compare-and-set.

    approved ──claim_call──► approved, owned ──mark_sent──► sent

`mark_sent` comes just before the bytes leave. After a crash before it the lease expires and the
call is run again; after a crash behind it only an idempotent call is.
"""

from datetime import datetime
from functools import partial

from django.db import transaction
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
    until = now + MAX_LEASE
    with transaction.atomic():
        claimed = Turn.objects.claim_call(call_id, process_name(), now, until, started or now)
        return _read_call(call_id, task_id) if claimed else None


def _read_call(call_id: int, task_id: str) -> ClaimedCall:
    """The call's `task_id` is stored with its next state."""
    span = Span.objects.call(call_id)
    call_attributes(span)["task_id"] = task_id
    turn = Turn.objects.for_call(span.trace_id)
    turn.set_own_assistant(turn.conversation)
    payload = Payload.objects.of_stage(call_id, Payload.Stage.ARGUMENTS)
    assert payload is not None, "a call is stored with its arguments"
    of_the_model = payloads.load(payload).decode(errors="surrogatepass")
    arguments = call_attributes(span).get("edited_arguments", of_the_model)
    return ClaimedCall(span, turn, span.token, arguments, questions.answers_to(span))


def mark_sent(call: ClaimedCall) -> None:
    """The compare-and-set just before the bytes leave. Raises `Fenced`."""
    span = call.span
    call_attributes(span)["sent"] = timezone.now().isoformat()
    if not Span.objects.send(span.pk, call.token, span.attributes):
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
