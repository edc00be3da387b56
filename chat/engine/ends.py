"""How a turn ends: final state, answer, open spans closed, the next in line rung."""

from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from chat import doorbell
from chat.engine import journal as journals
from chat.engine.claims import Claim, fenced
from chat.engine.journal import Journal
from chat.engine.results import append_results
from chat.engine.steps import Finish
from chat.models import Message, Turn
from tracing.models import Span, Trace

TRACE_STATUS = {
    Turn.Status.DONE: Trace.Status.SUCCEEDED,
    Turn.Status.FAILED: Trace.Status.FAILED,
    Turn.Status.STOPPED: Trace.Status.STOPPED,
}
SPAN_STATUS = {
    Turn.Status.DONE: Span.Status.SUCCEEDED,
    Turn.Status.FAILED: Span.Status.FAILED,
    Turn.Status.STOPPED: Span.Status.CANCELLED,
}
UNRESOLVED = (Span.Status.SENT, Span.Status.WAITING)


def finish(claim: Claim, journal: Journal, end: Finish) -> list[Span]:
    """Ends a turn between two generations. Answers the calls that it closed."""
    with fenced(claim):
        closed = close_calls(journal)
        conclude(journal.turn, end)
    return closed


def close_calls(journal: Journal) -> list[Span]:
    """Ends the open calls of the latest round, and tells the model's history what became of
    all of them."""
    if not journal.calls:
        return []
    for call in journal.calls:
        if call.is_open:
            _close_call(call)
    fresh = journals.read(journal.turn.pk)
    append_results(fresh)
    was_open = {call.pk for call in journal.calls if call.is_open}
    return [call for call in fresh.calls if call.pk in was_open]


def _close_call(call: Span) -> None:
    """Compare-and-set: a result that arrives at this moment wins if it was first."""
    now = timezone.now()
    spans = Span.objects.filter(pk=call.pk)
    harmless = bool(call.attributes.get("idempotent"))
    unsent = spans.exclude(status__in=UNRESOLVED).filter(status__in=Span.OPEN)
    if unsent.update(status=Span.Status.CANCELLED, ended=now):
        return
    status = Span.Status.CANCELLED if harmless else Span.Status.OUTCOME_UNKNOWN
    spans.filter(status__in=UNRESOLVED).update(status=status, ended=now)


def conclude(turn: Turn, end: Finish, answer: Message | None = None) -> None:
    """The last writes of a turn, inside the owner's transaction."""
    now = timezone.now()
    Turn.objects.filter(pk=turn.pk).update(
        status=end.status,
        error=end.error,
        answer=answer,
        ended=now,
        owner="",
        lease_expires=None,
        seen=F("wakeups"),
    )
    _close_trace(turn, end, now)
    _let_next_begin(turn)


def _close_trace(turn: Turn, end: Finish, now: Any) -> None:
    status = Turn.Status(end.status)
    Trace.objects.filter(turn=turn).update(status=TRACE_STATUS[status], ended=now)
    spans = Span.objects.filter(trace__turn=turn, status=Span.Status.RUNNING)
    spans.exclude(kind=Span.Kind.TOOL).update(
        status=SPAN_STATUS[status], ended=now, error=end.error
    )


def _let_next_begin(turn: Turn) -> None:
    waiting = Turn.objects.open().filter(conversation_id=turn.conversation_id, pk__gt=turn.pk)
    following = waiting.order_by("pk").values_list("pk", flat=True).first()
    if following is not None:
        Turn.objects.filter(pk=following).update(wakeups=F("wakeups") + 1)
        transaction.on_commit(partial(doorbell.ring_turn, following))
