"""The end of a turn: final state, answer, open spans ended, the next turn rung.

`finish_turn` is the end of every turn. One that ends with an answer of the model calls it in
`chat.engine.generation.recording`; any other one ends here, between two generations.
"""

from functools import partial
from typing import NamedTuple

from django.utils import timezone

from chat import turn_queue
from chat.agent import subagents
from chat.engine.context import history
from chat.engine.generation import partial_text
from chat.engine.tool_calls import questions
from chat.engine.tool_calls.endings import end_of_open_call
from chat.engine.tool_calls.results import append_results, shown_texts, store_shown
from chat.engine.turn import journal as journals
from chat.engine.turn.claims import Claim, fenced
from chat.engine.turn.journal import Journal
from chat.engine.turn.steps import Finish
from chat.models import Message, Turn
from chat.quotas import admission, nearness
from chat.webhooks import outbox
from db.threads import after_commit
from tracing import recorder
from tracing.models import Span, Trace
from tracing.models.attributes import call_attributes

TRACE_STATUS = {
    Turn.Status.DONE: Trace.Status.SUCCEEDED,
    Turn.Status.FAILED: Trace.Status.FAILED,
    Turn.Status.STOPPED: Trace.Status.STOPPED,
}


class FinishedCall(NamedTuple):
    """A call that ended with its turn, and the text that the model and the page show for it."""

    span: Span
    shown: str


def finish_between_generations(
    claim: Claim, journal: Journal, finish: Finish
) -> list[FinishedCall]:
    """Ends a turn of which no generation is open. If it has no answer, its partial text is kept as
    the answer. Answers the calls that ended with it."""
    with fenced(claim):
        finished = finish_open_calls(journal, finish)
        finish_turn(journal.turn, finish, partial_text.append_of_latest_round(journal))
    return finished


def finish_open_calls(journal: Journal, finish: Finish) -> list[FinishedCall]:
    """Ends the open calls of the latest round, and appends the tool message of each of its calls.
    A call whose result arrives at the same time is among those that it answers."""
    if not journal.calls:
        return []
    open_calls = [call for call in journal.calls if call.is_open]
    sentences = {call: _finish_open_call(call, finish) for call in open_calls}
    store_shown(journal.turn, {call: text for call, text in sentences.items() if text})
    questions.close_all([call.pk for call in journal.calls])
    if any("subagent" in call_attributes(call) for call in journal.calls):
        after_commit(partial(subagents.stop_nested, journal.turn.pk))
    fresh = journals.read(journal.turn.pk)
    append_results(fresh, history.read(journal.turn))
    texts = shown_texts(open_calls)
    return [FinishedCall(call, texts[call.pk]) for call in fresh.calls if call in sentences]


def _finish_open_call(call: Span, finish: Finish) -> str:
    """The sentence of the call; "" if it has a result. Compare-and-set: a result that arrives at
    the same time stays if it was first."""
    while (current := Span.objects.get(pk=call.pk)).is_open:
        status, text = end_of_open_call(current, finish)
        unchanged = Span.objects.filter(pk=call.pk, status=current.status, owner=current.owner)
        if unchanged.update(status=status, ended=timezone.now()):
            return text
    return ""


def finish_turn(turn: Turn, finish: Finish, answer: Message | None = None) -> None:
    """The last writes of a turn, inside the owner's transaction. `turn` is brought up to date."""
    turn.status, turn.error, turn.ceiling = finish.status, finish.error, finish.ceiling
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
    if turn.trace_id is not None:
        status = TRACE_STATUS[finish.status]
        recorder.end_turn_trace(turn.trace_id, status, turn.error, ended)
    if turn.conversation.parent_call_id is not None:
        subagents.finish_parent_call(turn)
    else:
        nearness.tell(turn.conversation.owner_id)
    admission.count_usage(turn.conversation.owner_id)
    outbox.turn_ended(turn)
    turn_queue.let_next_begin(turn.conversation)
