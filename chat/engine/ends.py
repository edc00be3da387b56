"""How a turn ends: final state, answer, open spans closed, the next in line rung."""

from functools import partial

from django.db.models import F
from django.utils import timezone

from chat import doorbell
from chat.agent import subagents
from chat.engine import history, partial_text, questions
from chat.engine import journal as journals
from chat.engine.call_ends import cut_off
from chat.engine.claims import Claim, fenced
from chat.engine.journal import Journal
from chat.engine.results import append_results, shown_texts, store_shown
from chat.engine.steps import Finish
from chat.models import Conversation, Message, Turn
from db.prepared import Given, Select, Update
from db.threads import after_commit
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
OWN_KINDS = (Span.Kind.TURN, Span.Kind.ROUND, Span.Kind.GENERATION, Span.Kind.COMPACTION)
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
    if any("subagent" in call.attributes for call in journal.calls):
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


_END = Update(
    lambda: Turn.objects.filter(pk=Given("turn")),
    status=Given("status"),
    error=Given("error"),
    ceiling=Given("ceiling"),
    answer=Given("answer"),
    ended=Given("ended"),
    owner="",
    lease_expires=None,
    seen=F("wakeups"),
)
_END_TRACE = Update(
    lambda: Trace.objects.filter(pk=Given("trace")), status=Given("status"), ended=Given("ended")
)
_END_SPANS = Update(
    lambda: Span.objects.filter(
        trace=Given("trace"), status=Span.Status.RUNNING, kind__in=OWN_KINDS
    ),
    status=Given("status"),
    ended=Given("ended"),
    error=Given("error"),
)
_TOUCH = Update(lambda: Conversation.objects.filter(pk=Given("conversation")), updated=Given("now"))
_FIRST_OPEN = Select(
    lambda: (
        Turn.objects.open()
        .filter(conversation=Given("conversation"))
        .order_by("pk")
        .values_list("pk", flat=True)[:1]
    )
)


def conclude(turn: Turn, end: Finish, answer: Message | None = None) -> None:
    """The last writes of a turn, inside the owner's transaction. `turn` is brought up to date."""
    turn.status, turn.error, turn.ceiling = end.status, end.error, end.ceiling
    turn.answer, turn.ended = answer, timezone.now()
    _END.run(
        turn=turn.pk,
        status=turn.status,
        error=turn.error,
        ceiling=turn.ceiling,
        answer=answer and answer.pk,
        ended=turn.ended,
    )
    _close_trace(turn)
    if turn.conversation.parent_call_id is not None:
        subagents.report(turn)
    _let_next_begin(turn)


def _close_trace(turn: Turn) -> None:
    status = Turn.Status(turn.status)
    trace, ended = turn.trace_id, turn.ended
    _END_TRACE.run(trace=trace, status=TRACE_STATUS[status], ended=ended)
    _END_SPANS.run(trace=trace, status=SPAN_STATUS[status], ended=ended, error=turn.error)


def _let_next_begin(turn: Turn) -> None:
    """Rings the first open turn, if it waited for this one. The conversation's row is what a send
    locks first, so that no turn falls between its look and ours."""
    _TOUCH.run(conversation=turn.conversation_id, now=turn.ended)
    first = _FIRST_OPEN.first(conversation=turn.conversation_id)
    if first is not None and first > turn.pk:
        Turn.objects.filter(pk=first).update(wakeups=F("wakeups") + 1)
        after_commit(partial(doorbell.ring_turn, first, turn.conversation.owner_id))
