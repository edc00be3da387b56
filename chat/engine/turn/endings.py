"""How a turn ends: final state, answer, open spans closed, the next in line rung."""

from datetime import datetime
from functools import partial

from django.db.models import F
from django.utils import timezone

from chat import doorbell
from chat.agent import subagents
from chat.engine.context import history
from chat.engine.generation import partial_text
from chat.engine.tool_calls import questions
from chat.engine.tool_calls.endings import cut_off
from chat.engine.tool_calls.results import append_results, shown_texts, store_shown
from chat.engine.turn import journal as journals
from chat.engine.turn.claims import Claim, fenced
from chat.engine.turn.journal import Journal
from chat.engine.turn.steps import Finish
from chat.models import Conversation, Message, Turn
from db.threads import after_commit
from tracing.models import Span, Trace
from tracing.models.attributes import call_attributes

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
# A call that ended, and what the model and the page are told of it.
Told = tuple[Span, str]


def finish(claim: Claim, journal: Journal, end: Finish) -> list[Told]:
    """Ends a turn between two generations: its text so far is kept as the answer if it has none.
    Answers the calls that ended with it, and what is told of each."""
    with fenced(claim):
        closed = close_calls(journal, end)
        conclude(journal.turn, end, partial_text.keep(journal))
    return closed


def close_calls(journal: Journal, end: Finish) -> list[Told]:
    """Ends the open calls of the latest round, and tells the model's history what became of
    all of them. A call that got its result at this moment is among those that it answers."""
    if not journal.calls:
        return []
    was_open = [call for call in journal.calls if call.is_open]
    closed = {call: _close_call(call, end) for call in was_open}
    store_shown(journal.turn, {call: text for call, text in closed.items() if text})
    questions.close_all([call.pk for call in journal.calls])
    if any("subagent" in call_attributes(call) for call in journal.calls):
        after_commit(partial(subagents.stop_nested, journal.turn.pk))
    fresh = journals.read(journal.turn.pk)
    append_results(fresh, history.read(journal.turn))
    texts = shown_texts(was_open)
    return [(call, texts[call.pk]) for call in fresh.calls if call in closed]


def _close_call(call: Span, end: Finish) -> str:
    """What is told of the call; "" if it has a result. Compare-and-set: one that arrives at this
    moment wins if it was first."""
    while (now := Span.objects.get(pk=call.pk)).is_open:
        status, text = cut_off(now, end)
        as_read = Span.objects.filter(pk=call.pk, status=now.status, owner=now.owner)
        if as_read.update(status=status, ended=timezone.now()):
            return text
    return ""


def conclude(turn: Turn, end: Finish, answer: Message | None = None) -> None:
    """The last writes of a turn, inside the owner's transaction. `turn` is brought up to date."""
    turn.status, turn.error, turn.ceiling = end.status, end.error, end.ceiling
    ended = timezone.now()
    turn.answer, turn.ended = answer, ended
    Turn.objects.end(
        turn.pk,
        status=turn.status,
        error=turn.error,
        ceiling=turn.ceiling,
        answer=answer.pk if answer else None,
        ended=ended,
    )
    _close_trace(turn, ended)
    if turn.conversation.parent_call_id is not None:
        subagents.report(turn)
    _let_next_begin(turn, ended)


def _close_trace(turn: Turn, ended: datetime) -> None:
    status = Turn.Status(turn.status)
    if turn.trace_id is not None:
        Trace.objects.end(turn.trace_id, TRACE_STATUS[status], ended)
        Span.objects.end_running(turn.trace_id, SPAN_STATUS[status], ended, turn.error)


def _let_next_begin(turn: Turn, now: datetime) -> None:
    """Rings the first open turn, if it waited for this one. The conversation's row is what a send
    locks first, so that no turn falls between its look and ours."""
    Conversation.objects.touch(turn.conversation_id, now)
    first = Turn.objects.first_open_of(turn.conversation_id)
    if first is not None and first > turn.pk:
        Turn.objects.filter(pk=first).update(wakeups=F("wakeups") + 1)
        after_commit(partial(doorbell.ring_turn, first, turn.conversation.owner_id))
