"""Where a new turn goes in the tree of a conversation.

    … ─ answer ─ question                    at the end of the shown branch
    … ─ answer ─┬─ question ─ answer         beside another turn, with the same parent:
                └─ question                  edited, regenerated, or tried again

Called inside the transaction that has locked the conversation's row.
"""

import uuid
from dataclasses import dataclass

from chat.commands import branches
from chat.errors import Rejected
from chat.models import Conversation, Message, Turn
from languages.later import later

NOT_CHOSEN = later(
    "Several answers are side by side. Choose the one to go on with, then send the message again."
)
# Where there is no message to send again.
CHOOSE_FIRST = later("Several answers are side by side. Choose the one to go on with first.")


@dataclass(frozen=True)
class Position:
    """Where a new turn goes: after the turn `parent`, whose public id is `parent_id`. `tail` is the
    message that its question follows; None: it is the first, or waits for the turns before it.
    `prompt` is a system prompt to be put in front of the question, None if that of the branch
    applies."""

    parent: int | None
    parent_id: uuid.UUID | None
    tail: Message | None
    has_to_wait: bool
    prompt: str | None = None


def at_end(conversation: Conversation) -> Position:
    """After the last turn of the shown branch. It waits while a turn of the conversation is open,
    on whichever branch. Raises `Rejected` while it is open which of several answers comes last."""
    leaf = Turn.objects.leaf(conversation.pk)
    if leaf.is_compared:
        raise Rejected(NOT_CHOSEN)
    tail = None if leaf.has_open else branches.last_message(conversation.pk, leaf.pk)
    return Position(leaf.pk, leaf.public_id, tail, leaf.has_open)


def in_place_of(turn: Turn) -> Position:
    """Where `turn` is, which is tried again. Of several answers that are compared one is tried
    again beside the others, while they are written, and with the system prompt of its own."""
    is_compared = turn.is_compared
    prompt = _own_prompt(turn) if is_compared else branches.shown_prompt(turn.conversation_id)
    return _beside(turn, prompt, _runs_beside(turn))


def beside(turn: Turn, prompt: str | None = None) -> Position:
    """The branch of another answer, which is shown from now on: it leaves the shown one where
    `turn` begins. `prompt` is the system prompt to apply; None is that of the branch that is left.
    """
    has_to_wait = Turn.objects.first_open_of(turn.conversation_id) is not None
    wanted = branches.shown_prompt(turn.conversation_id) if prompt is None else prompt
    return _beside(turn, wanted, has_to_wait)


def _beside(turn: Turn, prompt: str | None, has_to_wait: bool) -> Position:
    """`prompt` is the system prompt to apply; None is that of what comes before the turn."""
    conversation = turn.conversation_id
    branches.leave_after(conversation, turn.parent_id)
    changed = prompt if prompt != branches.shown_prompt(conversation) else None
    parent = turn.parent
    parent_id = parent.public_id if parent else None
    return Position(turn.parent_id, parent_id, _message_before(turn), has_to_wait, changed)


def _own_prompt(turn: Turn) -> str | None:
    """The system prompt with which the turn begins, None if it has that of the turns before it."""
    before = turn.question.parent if turn.question else None
    if before is None or before.turn_id != turn.pk:
        return None
    return str(before.body.get("content") or "")


def _runs_beside(turn: Turn) -> bool:
    """Whether a turn of the conversation is open that may not run at the same time as one in the
    place of this turn."""
    if not turn.is_compared:
        return Turn.objects.first_open_of(turn.conversation_id) is not None
    others = Turn.objects.open().filter(conversation=turn.conversation_id)
    return others.exclude(comparison=turn.comparison).exists()


def _message_before(turn: Turn) -> Message | None:
    """The message that the turn's first one follows: its own may begin with a system prompt."""
    before = turn.question.parent if turn.question else None
    while before is not None and before.turn_id == turn.pk:
        before = before.parent
    return before or branches.last_message(turn.conversation_id, turn.parent_id)
