"""Other answers beside one that is there, and the rest of one that was cut, as a `send` asks for
them. Each is a turn of its own; nothing that is stored changes."""

import uuid
from dataclasses import dataclass

from django.utils.translation import gettext as _

from chat.attachments.references import references
from chat.engine.turn.cut_answers import is_cut
from chat.errors import Rejected
from chat.llm.messages import text_of
from chat.models import Conversation, Turn
from db.users import AnyUser

NOWHERE = uuid.UUID(int=0)
# The question of a turn that goes on with a cut answer, as the model reads it.
CONTINUE = (
    "Your answer was cut off. Go on exactly where it ends, without repeating what is there and "
    "without a word about the interruption."
)


@dataclass(frozen=True)
class Edit:
    """The message takes the place of this question, on a branch of its own."""

    question: uuid.UUID


@dataclass(frozen=True)
class Regenerate:
    """The question of this turn is asked again, on a branch of its own."""

    turn: uuid.UUID


@dataclass(frozen=True)
class Continue:
    """The model goes on with the answer of this turn, the last one that is shown."""

    turn: uuid.UUID


Alternative = Edit | Regenerate | Continue


def find(user: AnyUser, alternative: Alternative, conversation: uuid.UUID | None) -> Turn:
    """The turn that it is about, in this conversation, if the user may write in it. Raises
    `Rejected`."""
    turns = Turn.objects.writable_by(user).filter(conversation__public_id=conversation or NOWHERE)
    turns = turns.select_related("parent", "question__parent", "model")
    if isinstance(alternative, Edit):
        turn = turns.filter(question__public_id=alternative.question).first()
    else:
        turn = turns.filter(public_id=alternative.turn).first()
    if turn is None or turn.question is None:
        raise Rejected(_("This message does not exist. It may have been deleted."))
    if isinstance(alternative, Edit) and turn.continues:
        raise Rejected(_("This is no message of yours, so it cannot be edited."))
    return turn


def question_of(turn: Turn) -> tuple[str, list[uuid.UUID]]:
    """The text of its question, and the ids of its attachments."""
    assert turn.question is not None
    body = turn.question.body
    return text_of(body.get("content")), [one.id for one in references([body])]


def check(alternative: Alternative, turn: Turn, conversation: Conversation) -> None:
    """Raises `Rejected` if the turn cannot have it, as it is now: inside the transaction that
    locked the conversation."""
    now = Turn.objects.filter(pk=turn.pk).select_related("question").first()
    if now is None:
        raise Rejected(_("This message does not exist. It may have been deleted."))
    if now.status == Turn.Status.QUEUED and not now.wakeups:
        raise Rejected(_("This message waits in the queue. Change it there."))
    if isinstance(alternative, Continue):
        _check_continue(now, conversation)


def _check_continue(turn: Turn, conversation: Conversation) -> None:
    if turn.is_open:
        raise Rejected(_("This answer is still being written."))
    if turn.is_compared:
        raise Rejected(_("Choose this answer first. Then it can be gone on with."))
    if Turn.objects.leaf(conversation.pk).pk != turn.pk:
        raise Rejected(_("Other messages follow this answer. Ask for the rest in a message."))
    if not is_cut(turn):
        raise Rejected(_("This answer was not cut off. Regenerate it, or ask for more."))
