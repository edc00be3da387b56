"""Notes: messages that people put into a running turn.

Until the turn's next model call a note is a turn in line, with `Turn.steers`. When the round is
opened its message becomes one of the running turn, after the results of the round before, in the
same transaction. Its own turn is deleted and keeps the client's key, so that a message that is sent
again is not stored twice. If the running turn ends before, the note is the next message in line.
"""

import uuid

from django.utils import timezone

from chat import turn_queue
from chat.engine.context.history import History
from chat.engine.turn.journal import Journal
from chat.llm.messages import Message as CanonicalMessage
from chat.models import Attachment, Conversation, Message, Turn
from tracing.journal import actions
from tracing.models import Span


def take(journal: Journal, past: History) -> None:
    """Appends the notes for this turn to its messages, inside the owner's transaction. The lock of
    the conversation keeps them in line meanwhile: one that is withdrawn is not among them."""
    turn = journal.turn
    # `journal.read` annotates the turn. A note that came since then is for the next round.
    if not getattr(turn, "has_notes", False):
        return
    Conversation.objects.lock(turn.conversation_id)
    waiting = Turn.objects.in_line().filter(steers=turn.pk).order_by("pk")
    notes = list(waiting.select_related("question"))
    turn_queue.take_out(notes)
    for note in notes:
        if note.question is not None:
            _append(note.question, past)
    ended = {"status": Turn.Status.DONE, "ended": timezone.now(), "deleted": timezone.now()}
    Turn.objects.filter(pk__in=[note.pk for note in notes]).update(is_shown=False, **ended)
    turn_queue.announce(turn.conversation)


def place(turn: Turn, past: History, round_span: Span) -> None:
    """Records into which round's request the notes went that no round had yet: those that were
    taken for it, or before a summary that came first."""
    keys = [pk for pk, body in zip(past.pks, past.messages, strict=True) if body.get("is_note")]
    if not keys:
        return
    for message in Message.objects.filter(pk__in=keys, turn=turn, span=None).order_by("pk"):
        Message.objects.filter(pk=message.pk).update(span=round_span)
        text = str(message.public_id)
        actions.record(turn.trace_id, "note", turn.user_id, round_span, message=text)


def _append(question: Message, past: History) -> None:
    """The note's message, now one of the running turn. It is stored anew: the messages of a turn
    are in the order of their keys."""
    Turn.objects.filter(question=question.pk).update(question=None)
    public_id = question.public_id
    body: CanonicalMessage = question.body | {"is_note": True}
    Message.objects.filter(pk=question.pk).update(public_id=uuid.uuid4())
    message = past.append(Message.Role.USER, body, public_id=public_id)
    Attachment.objects.filter(message=question.pk).update(message=message.pk)
    Message.objects.filter(pk=question.pk).delete()
