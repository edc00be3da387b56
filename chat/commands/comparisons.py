"""Two or three answers to one question side by side, and the choice of the one to go on with.

    … answer ─┬─ question ─ answer of lane 0      each turn has a copy of the question, as one that
              ├─ question ─ answer of lane 1      is regenerated has; all of them run at once
              └─ question ─ answer of lane 2

One of the turns is on the shown branch, as of any turns beside each other. While they are compared
(`Turn.is_compared`) the page shows all of them and no message follows. The choice ends that: the
thread goes on with the chosen one, and those that still run are stopped.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from chat import events, turn_facts, turn_queue
from chat.attachments import uploads
from chat.commands import asking, branches, retries
from chat.commands.answerers import Answerer, model_of_preset, offered_model, usable_preset
from chat.commands.asking import Question
from chat.commands.new_conversation import NewConversation
from chat.commands.positions import Position
from chat.errors import Rejected
from chat.models import Conversation, Preset, Turn
from db.threads import after_commit
from languages.later import later
from limits.chat import MAX_COMPARED
from tracing.journal import actions

GONE = later("This answer no longer exists. It may have been deleted.")
# Makes the keys of the other turns of a message of its key.
_KEYS = uuid.UUID("6e0f8a52-7c0e-4f0e-9b53-3f6c1d2f7a10")


@dataclass(frozen=True)
class Compared:
    """A model or an assistant that answers beside others, by its public id: one of the two."""

    model_id: uuid.UUID | None = None
    preset_id: uuid.UUID | None = None


def answerers(
    user: User, compared: Sequence[Compared], model_id: uuid.UUID | None, preset: Preset | None
) -> list[Answerer]:
    """Those that answer beside each other. An assistant without a model answers with this one, a
    model as this assistant. Raises `Rejected`."""
    if not 2 <= len(compared) <= MAX_COMPARED:
        raise Rejected(
            _("%(count)d answers cannot be compared. Choose 2 to %(most)d models or assistants.")
            % {"count": len(compared), "most": MAX_COMPARED}
        )
    if len(set(compared)) < len(compared):
        raise Rejected(_("A model or an assistant is there twice. Choose different ones."))
    return [_answerer(user, one, model_id, preset) for one in compared]


def _answerer(
    user: User, compared: Compared, model_id: uuid.UUID | None, preset: Preset | None
) -> Answerer:
    own = usable_preset(user, compared.preset_id)
    if own is not None:
        return Answerer(offered_model(user, model_of_preset(user, own) or model_id), own)
    return Answerer(offered_model(user, compared.model_id), preset)


def ask(
    question: Question,
    key: str,
    position: Position,
    asked: Sequence[Answerer],
    within: Conversation | NewConversation,
) -> list[Turn]:
    """A turn for each, by lanes. Inside the transaction that locked the conversation. Raises
    `Rejected` while an answer is written."""
    if position.has_to_wait:
        raise Rejected(
            _("An answer is in progress. Answers can be compared when it is complete or stopped.")
        )
    is_new = isinstance(within, NewConversation)
    prompt = asked[0].system_prompt if is_new else branches.shown_prompt(question.conversation.pk)
    comparison, turns = uuid.uuid4(), list[Turn]()
    for lane, one in enumerate(asked):
        wanted = one.system_prompt if is_new or _changes_assistant(one, within) else prompt
        turns.append(
            asking.ask(
                replace(question, attached=uploads.copies(question.attached)) if lane else question,
                key_of(key, lane),
                replace(position, prompt=wanted if wanted != prompt else None),
                one,
                comparison=comparison,
                lane=lane,
                is_compared=True,
                is_shown=lane == 0,
                original=turns[0] if lane else None,
            )
        )
    branches.mark(question.conversation)
    return turns


def _changes_assistant(one: Answerer, within: Conversation | NewConversation) -> bool:
    """Whether it is an assistant, and not the conversation's."""
    return one.preset is not None and one.preset != within.preset


def key_of(key: str, lane: int) -> str:
    """The client's key of a turn: that of its message for the first one."""
    return str(uuid.uuid5(_KEYS, f"{lane} {key}")) if lane else key


def model_tried_again(user: User, message: uuid.UUID) -> uuid.UUID | None:
    """The model of the turn that asks this message, if it is one of several answers."""
    turn = retries.turn_of(user, message)
    if turn is None or not turn.is_compared or turn.model is None:
        return None
    return turn.model.public_id


def place_of(retried: Turn) -> dict[str, Any]:
    """The columns of a try in the place of this turn."""
    names = ("comparison", "lane", "is_compared")
    return {name: getattr(retried, name) for name in names}


def choose(user: User, public_id: uuid.UUID) -> None:
    """Goes on with one of several answers; those that still run are stopped. Raises `Rejected`."""
    turn_queue.settled(partial(_choose, user, public_id))


@transaction.atomic
def _choose(user: User, public_id: uuid.UUID) -> None:
    turns = Turn.objects.for_user(user).select_related("conversation", "preset")
    turn = turns.filter(public_id=public_id, comparison__isnull=False).first()
    if turn is None or not turn_queue.lock_with_running(turn.conversation_id):
        raise Rejected(GONE)
    turn.refresh_from_db(fields=["is_compared", "is_shown", "deleted"])
    if turn.deleted is not None:
        raise Rejected(GONE)
    if not turn.is_compared:
        _refuse_other_choice(turn)
        return
    running = list(Turn.objects.compared_with(turn).open().exclude(pk=turn.pk))
    beside = Turn.objects.filter(conversation=turn.conversation_id, comparison=turn.comparison)
    beside.update(is_compared=False)
    branches.show_below(turn.conversation_id, turn.pk)
    _take_answerer(turn)
    actions.record(turn.trace_id, "choose", user.pk)
    event = branches.branch_event(turn)
    after_commit(partial(events.emit, turn.conversation.public_id, event))
    for one in running:
        after_commit(partial(turn_facts.stop, one))


def _refuse_other_choice(turn: Turn) -> None:
    if not turn.is_shown:
        raise Rejected(
            _("Another answer was chosen already. ‹ and › at its foot lead to this one.")
        )


def _take_answerer(turn: Turn) -> None:
    """The conversation goes on with the chosen model and assistant."""
    conversation = turn.conversation
    Conversation.objects.filter(pk=conversation.pk).update(model=turn.model_id, preset=turn.preset)
    if conversation.preset_id != turn.preset_id:
        event = branches.assistant_event(turn.preset)
        after_commit(partial(events.emit, conversation.public_id, event))
