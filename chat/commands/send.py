"""Sending a message: stores the question and its turn in one transaction, then rings a worker."""

import logging
import uuid
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, OperationalError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext

from chat import events, offering, storage, turn_queue
from chat.attachments import uploads
from chat.commands import (
    alternatives,
    branches,
    comparisons,
    earlier_messages,
    message_length,
    positions,
    queue,
    retries,
)
from chat.commands.alternatives import CONTINUE, Alternative, Continue, Edit, Regenerate
from chat.commands.answerers import Answerer, offered_model, usable_preset
from chat.commands.asking import Question, ask
from chat.commands.new_conversation import NewConversation, begin_conversation
from chat.commands.new_message import NewMessage
from chat.commands.positions import Position
from chat.doorbell import TurnRing
from chat.errors import Overtaken, Rejected
from chat.models import Attachment, Conversation, LanguageModel, Preset, Project, Turn
from chat.programs import Program
from chat.quotas.admission import Admission, admit_turns
from chat.quotas.errors import QuotaExceeded
from chat.webhooks import outbox
from db.space import is_disk_full
from db.threads import after_commit
from languages.later import later
from limits.chat import MAX_CLIENT_KEY, MAX_MESSAGE
from tracing.journal import actions

logger = logging.getLogger(__name__)

NO_CONVERSATION = later("This conversation does not exist. It may have been deleted.")
ONLY_READABLE = later("This conversation is shared with you to read, so you cannot write in it.")
ONLY_OWNER_COMPARES = later("Only the owner of this conversation compares answers.")
NOT_THE_OWNER = later("Only the owner of this conversation chooses its assistant.")
LANE_WITHHELD = later(
    "The assistant that gave this answer is no longer available. Choose another answer to go on "
    "with, or ask again."
)
PRESET_WITHHELD = later(
    "The assistant of this conversation is no longer available. Choose another one in the menu of "
    "the conversation, then send again."
)
OF_A_SUBAGENT = later(
    "This conversation belongs to a subagent and takes no messages. Write in the conversation "
    "that started it."
)


def send_message(user: User, message: NewMessage) -> Turn:
    """Stores a user message and its turn; the same `key` again returns the same turn. Raises
    `Rejected`, and of it `QuotaExceeded` beyond a limit of the user."""
    try:
        return _send_once(user, message)
    except OperationalError as error:
        if is_disk_full(error):
            raise Rejected(storage.DISK_FULL) from error
        raise


def _send_once(user: User, message: NewMessage) -> Turn:
    try:
        new = None
        if message.conversation_id is None:
            new = _new_conversation(user, message)
        return _send(user, message, new)
    except (Rejected, IntegrityError) as error:
        # It may have been sent before, and its model deleted since.
        existing = _turn_of_key(user, message.key)
        if existing is None:
            if isinstance(error, QuotaExceeded):
                outbox.limit_reached(user.pk, error.limit, error.amount, error.opens_at)
            raise
        return existing


def _new_conversation(user: User, message: NewMessage) -> NewConversation:
    preset = usable_preset(user, message.preset_id)
    project = _project(user, message, message.project_id) if message.project_id else None
    if preset is None and project is not None:
        preset = project.usable_preset
    settings = NewConversation(preset, message.tools, message.skills, message.temporary, project)
    return replace(settings, program=message.program)


def _send(user: User, message: NewMessage, new: NewConversation | None) -> Turn:
    earlier = _earlier(user, message)
    message = _with_question(user, message, earlier)
    _check(message)
    conversation = _conversation(user, message.conversation_id)
    _refuse_withheld(user, message, conversation)
    first, others = _answerers(user, message, new, conversation)
    if new is not None and message.compared:
        new = replace(new, preset=first.preset)
    attached = uploads.find(user, message.attachment_ids, message.conversation_id)
    for one in (first, *others):
        uploads.refuse_unreadable(one.model, attached)
    if attached:
        storage.check_disk()
    copied = sum(one.size for one in attached if one.message_id)
    copied += len(others) * sum(one.size for one in attached)
    texts = len(message.text) * (1 + len(others))
    keeper = conversation.owner_id if conversation else user.pk  # in whose storage it is kept
    storage.check_soon(keeper, texts + copied)
    if message.again is None:  # a stored question is truncated to fit
        for one in (first, *others):
            message_length.refuse_too_long(one.model, message.text, attached)
    within = conversation or new or NewConversation()
    keys = [comparisons.key_of(message.key, lane) for lane in range(1 + len(others))]
    admission = admit_turns(user, keys, payer_id=keeper, zone=message.zone)
    store = partial(_store, user, message, within, first, others, attached, earlier, admission)
    try:
        turn = turn_queue.settled(store)
    except BaseException:
        admission.take_back()
        raise
    storage.grew(keeper, attachments=copied, messages=texts)
    return turn


def _answerers(
    user: User, message: NewMessage, new: NewConversation | None, conversation: Conversation | None
) -> tuple[Answerer, list[Answerer]]:
    """Who answers, and who else beside it. Raises `Rejected`."""
    source = new or conversation
    preset = source.preset if source else None
    if message.compared:
        if conversation is not None and conversation.owner_id != user.pk:
            raise Rejected(ONLY_OWNER_COMPARES)
        first, *others = comparisons.answerers(user, message.compared, message.model_id, preset)
        return first, others
    model = offered_model(user, message.model_id or (new.model_id(user) if new else None))
    return Answerer(model, preset), []


def _refuse_withheld(user: User, message: NewMessage, conversation: Conversation | None) -> None:
    """Raises `Rejected` for an assistant, or a server by choice, that was given to groups in which
    whoever the conversation belongs to is not."""
    if conversation is None:
        offering.refuse_withheld(message.tools, user)
        return
    if message.preset_id is None and conversation.preset_is_withheld():
        raise Rejected(PRESET_WITHHELD)
    if conversation.tools and conversation.tools.get("servers"):
        offering.refuse_withheld(conversation.tools, conversation.owner)


def _earlier(user: User, message: NewMessage) -> Turn | None:
    """The turn to which the message is an alternative. Raises `Rejected`."""
    if message.alternative is None:
        return None
    _conversation(user, message.conversation_id)  # says of a subagent's what it is
    return alternatives.find(user, message.alternative, message.conversation_id)


def _with_question(user: User, message: NewMessage, earlier: Turn | None) -> NewMessage:
    """The message with the text, the attachments and the model that its alternative has of its
    own; one of several answers that is tried again, with its model."""
    if message.again is not None:
        model_of_lane = comparisons.model_tried_again(user, message.again)
        return replace(message, model_id=model_of_lane or message.model_id)
    if earlier is None or isinstance(message.alternative, Edit):
        return message
    model_id = message.model_id or (earlier.model.public_id if earlier.model else None)
    text, attachment_ids = alternatives.question_of(earlier)
    if isinstance(message.alternative, Continue):
        text, attachment_ids = CONTINUE, []
    return replace(message, text=text, attachment_ids=attachment_ids, model_id=model_id)


def _turn_of_key(user: User, key: str) -> Turn | None:
    if not key.isprintable():
        return None  # a database may refuse it
    turns = Turn.objects.select_related("conversation", "question").filter(client_key=key)
    return turns.filter(Q(user=user, is_of_member=False) | Q(author=user)).first()


def _check(message: NewMessage) -> None:
    key, text = message.key, message.text
    if not 0 < len(key) <= MAX_CLIENT_KEY or not key.isprintable():
        raise Rejected(
            gettext("A message needs a key of 1 to %(most)s printable characters.")
            % {"most": MAX_CLIENT_KEY}
        )
    has_results = message.program is not None and message.program.results
    if not text.strip() and not message.attachment_ids and not has_results:
        raise Rejected(gettext("The message is empty."))
    if len(text) > MAX_MESSAGE:
        raise Rejected(
            gettext("The message has %(count)s characters; the limit is %(most)s. Shorten it.")
            % {"count": f"{len(text):,}", "most": f"{MAX_MESSAGE:,}"}
        )


def _project(user: User, message: NewMessage, public_id: uuid.UUID) -> Project:
    if message.temporary:
        raise Rejected(
            gettext("A temporary conversation cannot be in a project. Choose one of the two.")
        )
    project = Project.objects.to_begin_in(user).filter(public_id=public_id).first()
    if project is None:
        raise Rejected(
            gettext("This project no longer exists. Send again to send the message without it.")
        )
    return project


def _conversation(user: User, conversation_id: uuid.UUID | None) -> Conversation | None:
    if conversation_id is None:
        return None
    conversation = Conversation.objects.to_send_in(user.pk, conversation_id)
    return conversation or _shared_conversation(user, conversation_id)


def _shared_conversation(user: User, conversation_id: uuid.UUID) -> Conversation:
    """A conversation of somebody else in which this user may write. Raises `Rejected`."""
    named = Conversation.objects.filter(public_id=conversation_id).with_preset()
    conversation = named.writable_by(user).first()
    if conversation is not None:
        return conversation
    if named.readable_by(user).exists():
        raise Rejected(ONLY_READABLE)
    raise Rejected(OF_A_SUBAGENT if named.nested_for(user).exists() else NO_CONVERSATION)


@transaction.atomic
def _store(
    user: User,
    message: NewMessage,
    within: Conversation | NewConversation,
    first: Answerer,
    others: Sequence[Answerer],
    attached: Sequence[Attachment],
    earlier: Turn | None,
    admission: Admission,
) -> Turn:
    """Raises `Rejected` and `Moved`."""
    admission.confirm()
    name = message.text if message.text.strip() else ", ".join(one.name for one in attached)
    retried = again = None
    if isinstance(within, NewConversation):
        conversation, prompt = begin_conversation(user, name, first.model, within)
        position = Position(None, None, prompt, has_to_wait=False)
        if message.program is not None:
            position = earlier_messages.store(conversation, message.program.earlier, prompt)
    else:
        conversation = within
        _lock(conversation, message, first.model)
        again = retries.turn_of(user, message.again) if message.again else None
        retried = retries.replaced(again, conversation) if again else None
        position = _position(user, message, conversation, first.model, earlier, retried)
        if message.program is not None:
            position = _go_on_with(conversation, message.program, position)
    if position.has_to_wait:
        queue.refuse_full(conversation.pk)
    results = message.program.results if message.program else ()
    question = Question(user, conversation, message.text, attached, name, message.zone, results)
    if others:
        turns = comparisons.ask(question, message.key, position, [first, *others], within)
        after_commit(partial(_announce, turns, None))
        return turns[0]
    turn = _ask_one(message, question, position, first.model, earlier, retried)
    if again is not None:
        actions.record(again.trace_id, "again", user.pk, turn=str(turn.public_id))
    if turn.is_in_line:
        queue.line_up(turn, as_note=message.is_note)
    after_commit(partial(_announce, [turn], message.alternative))
    return turn


def _ask_one(
    message: NewMessage,
    question: Question,
    position: Position,
    model: LanguageModel,
    earlier: Turn | None,
    retried: Turn | None,
) -> Turn:
    """A new turn with the conversation's assistant, or with that of the answer that is tried again
    beside others."""
    of_lane = retried if retried and retried.is_compared else None
    preset = of_lane.preset if of_lane else question.conversation.preset
    if (
        of_lane
        and preset
        and Preset.objects.withheld_from(question.conversation.owner).filter(pk=preset.pk)
    ):
        raise Rejected(LANE_WITHHELD)
    return ask(
        question,
        message.key,
        position,
        Answerer(model, preset),
        original_id=_original(message, earlier, retried),
        continues=_continues(message, earlier),
        retry_of=retried,
        **(comparisons.place_of(retried) if retried else {}),
    )


def _lock(conversation: Conversation, message: NewMessage, model: LanguageModel) -> None:
    """Locks the conversation's row, which orders two sends; before it the turns that run, if the
    message may leave the branch on which they are. Raises `Rejected` and `Moved`."""
    if message.alternative is not None or message.again is not None:
        turn_queue.lock_with_running(conversation.pk)
    if not Conversation.objects.touch(conversation.pk, timezone.now(), model=model.pk):
        raise Rejected(gettext("This conversation was deleted."))


def _go_on_with(conversation: Conversation, program: Program, position: Position) -> Position:
    """Gives the conversation what its program asks for now. Raises `Overtaken`."""
    if position.has_to_wait or position.parent_id != program.after:
        raise Overtaken
    values: dict[str, Any] = {"parameters": program.parameters, "program": program.described()}
    if not program.is_plain:
        values["instructions"] = program.prompt
    elif program.prompt != branches.shown_prompt(conversation.pk):
        position = replace(position, prompt=program.prompt)
    Conversation.objects.filter(pk=conversation.pk).update(**values)
    for name, value in values.items():
        setattr(conversation, name, value)
    return position


def _position(
    user: User,
    message: NewMessage,
    conversation: Conversation,
    model: LanguageModel,
    earlier: Turn | None,
    retried: Turn | None,
) -> Position:
    """Where the turn goes. Raises `Rejected`."""
    if retried is not None:
        return positions.in_place_of(retried)
    if earlier is None or message.alternative is None:
        return positions.at_end(conversation)
    alternatives.check(message.alternative, earlier, conversation)
    if isinstance(message.alternative, Continue):
        return positions.at_end(conversation)
    prompt = _take_preset(user, message, conversation, model)
    branches.mark(conversation)
    return positions.beside(earlier, prompt)


def _take_preset(
    user: User, message: NewMessage, conversation: Conversation, model: LanguageModel
) -> str | None:
    """Gives the conversation the assistant that is to answer again. Its system prompt; None if the
    message names no assistant. Raises `Rejected`."""
    preset = usable_preset(user, message.preset_id)
    if preset is None:
        return None
    if conversation.owner_id != user.pk:
        raise Rejected(NOT_THE_OWNER)
    Conversation.objects.filter(pk=conversation.pk).update(preset=preset)
    conversation.preset = preset
    return preset.system_prompt


def _original(message: NewMessage, earlier: Turn | None, retried: Turn | None) -> int | None:
    """The first turn with the same question."""
    same = retried or (earlier if isinstance(message.alternative, Regenerate) else None)
    return same.original_id or same.pk if same else None


def _continues(message: NewMessage, earlier: Turn | None) -> bool:
    if isinstance(message.alternative, Regenerate):
        return earlier is not None and earlier.continues
    return isinstance(message.alternative, Continue)


def _announce(turns: Sequence[Turn], alternative: Alternative | None) -> None:
    """The events come with the rings, so that they are the first ones of the turns. Tabs show the
    new branch first, and then its turn."""
    about = [events.turn_event(turn) for turn in turns]
    first = turns[0]
    if isinstance(alternative, Edit | Regenerate):
        about.insert(0, branches.branch_event(first))
    if isinstance(alternative, Regenerate):  # perhaps by another assistant
        about.insert(0, branches.assistant_event(first.conversation.preset))
    rings = [TurnRing.now(turn.pk, turn.counted_user_id) for turn in turns]
    events.emit_and_ring(first.conversation.public_id, about, *rings)
