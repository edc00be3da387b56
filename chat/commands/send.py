"""Sending a message: stores the question and its turn in one transaction, then rings a worker."""

import logging
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from chat import events, storage
from chat.attachments import uploads
from chat.attachments.references import content_with
from chat.commands import message_length, retries
from chat.commands.new_conversation import NewConversation, begin_conversation, title_of
from chat.doorbell import TurnRing
from chat.errors import Rejected
from chat.models import Attachment, Conversation, LanguageModel, Message, Preset, Turn
from chat.offering import Choice
from db.threads import after_commit
from limits.chat import MAX_CLIENT_KEY, MAX_MESSAGE
from tracing import recorder
from tracing.journal import actions
from tracing.models import Trace
from tracing.models.attributes import TraceAttributes

logger = logging.getLogger(__name__)

NO_CONVERSATION = "This conversation does not exist. It may have been deleted."
OF_A_SUBAGENT = (
    "This conversation belongs to a subagent and takes no messages. Write in the conversation "
    "that started it."
)


@dataclass(frozen=True)
class NewMessage:
    """A message that a person sends, parsed.

    `key` is the client's, unique among the user's messages. Without a conversation the message
    begins one, with the named preset, else its model's; `tools` and `skills` replace those of the
    preset. Attachments are the user's uploads, or those of an earlier message, which are copied.
    `again` is the message that is sent once more: if its turn failed or was stopped and is the
    latest one, the new turn replaces it. `zone` is the person's time zone.
    """

    key: str
    text: str
    conversation_id: uuid.UUID | None = None
    model_id: uuid.UUID | None = None
    attachment_ids: Sequence[uuid.UUID] = ()
    tools: Choice | None = None
    skills: list[str] | None = None
    again: uuid.UUID | None = None
    preset_id: uuid.UUID | None = None
    zone: str = ""


def send_message(user: User, message: NewMessage) -> Turn:
    """Stores a user message and its turn; the same `key` again returns the same turn. Raises
    `Rejected`."""
    try:
        new = None
        if message.conversation_id is None:
            preset = _preset(user, message.preset_id)
            new = NewConversation(preset, message.tools, message.skills)
        return _send(user, message, new)
    except (Rejected, IntegrityError):
        # It may have been sent before, and its model deleted since.
        existing = _turn_of_key(user, message.key)
        if existing is None:
            raise
        return existing


def _send(user: User, message: NewMessage, new: NewConversation | None) -> Turn:
    _check(message)
    model = _model(message.model_id or (new.model_id if new else None))
    conversation = _conversation(user, message.conversation_id)
    attached = uploads.find(user, message.attachment_ids)
    uploads.refuse_unreadable(model, attached)
    if attached:
        storage.check_disk()
    copied = sum(one.size for one in attached if one.message_id)
    storage.check_soon(user.pk, len(message.text) + copied)
    if message.again is None:  # a stored question is truncated to fit
        message_length.refuse_too_long(model, message.text, attached)
    with transaction.atomic():
        within = conversation or new or NewConversation()
        turn = _store(user, message, within, model, attached)
        after_commit(partial(_announce, turn))
    storage.grew(user.pk, attachments=copied, messages=len(message.text))
    return turn


def _turn_of_key(user: User, key: str) -> Turn | None:
    if not key.isprintable():
        return None  # a database may refuse it
    turns = Turn.objects.select_related("conversation", "question")
    return turns.filter(user=user, client_key=key).first()


def _check(message: NewMessage) -> None:
    key, text = message.key, message.text
    if not 0 < len(key) <= MAX_CLIENT_KEY or not key.isprintable():
        raise Rejected(f"A message needs a key of 1 to {MAX_CLIENT_KEY} printable characters.")
    if not text.strip() and not message.attachment_ids:
        raise Rejected("The message is empty.")
    if len(text) > MAX_MESSAGE:
        raise Rejected(
            f"The message has {len(text):,} characters; the limit is {MAX_MESSAGE:,}. Shorten it."
        )


def _model(model_id: uuid.UUID | None) -> LanguageModel:
    model = (
        LanguageModel.objects.offered_by_id(model_id)
        if model_id
        else LanguageModel.objects.offered().first()
    )
    if model is None:
        raise Rejected("This model is no longer available. Choose another one and send again.")
    return model


def _preset(user: User, preset_id: uuid.UUID | None) -> Preset | None:
    if preset_id is None:
        return None
    preset = Preset.objects.for_user(user).filter(public_id=preset_id).first()
    if preset is None:
        raise Rejected(
            "This assistant no longer exists. Send again to send the message without it."
        )
    return preset


def _conversation(user: User, conversation_id: uuid.UUID | None) -> Conversation | None:
    if conversation_id is None:
        return None
    conversation = Conversation.objects.to_send_in(user.pk, conversation_id)
    if conversation is None:
        nested = Conversation.objects.nested_for(user).filter(public_id=conversation_id)
        raise Rejected(OF_A_SUBAGENT if nested.exists() else NO_CONVERSATION)
    return conversation


def _store(
    user: User,
    message: NewMessage,
    within: Conversation | NewConversation,
    model: LanguageModel,
    attached: Sequence[Attachment],
) -> Turn:
    name = message.text if message.text.strip() else ", ".join(one.name for one in attached)
    if isinstance(within, NewConversation):
        conversation, tail = begin_conversation(user, name, model, within)
        has_to_wait = False
    else:
        conversation = within
        tail, has_to_wait = _last_message(within, model)
    earlier = retries.turn_of(user, message.again) if message.again else None
    retried = retries.replaced(earlier, conversation) if earlier else None
    if retried is not None:
        tail = retries.tail(retried)
    turn_id = uuid.uuid4()
    turn = Turn.objects.insert(
        public_id=turn_id,
        conversation=conversation,
        user=user,
        client_key=message.key,
        model=model,
        trace=_trace(conversation, turn_id, name, model, message.zone),
        wakeups=0 if has_to_wait else 1,
        retry_of=retried,
    )
    _ask(turn, tail, message.text, attached)
    if earlier is not None:
        actions.record(earlier.trace_id, "again", user.pk, turn=str(turn.public_id))
    return turn


def _ask(turn: Turn, tail: Message | None, text: str, attached: Sequence[Attachment]) -> None:
    """Stores the turn's question, as a child of `tail`."""
    own = uploads.own_copies(attached)
    turn.question = Message.objects.insert(
        conversation=turn.conversation,
        turn=turn,
        parent=tail,
        role=Message.Role.USER,
        body={"role": "user", "content": content_with(text, own)},
    )
    uploads.tie(own, turn.question)
    Turn.objects.ask(turn.pk, turn.question.pk)


def _last_message(conversation: Conversation, model: LanguageModel) -> tuple[Message | None, bool]:
    """The message that the next one follows, and whether its turn has to wait for open turns: then
    the parent is not known yet. Raises `Rejected`."""
    # Locks the row, which orders two sends.
    if not Conversation.objects.touch(conversation.pk, timezone.now(), model=model.pk):
        raise Rejected("This conversation was deleted.")
    has_to_wait = Turn.objects.first_open_of(conversation.pk) is not None
    return (None if has_to_wait else Message.objects.latest_of(conversation.pk)), has_to_wait


def _trace(
    conversation: Conversation, turn_id: uuid.UUID, name: str, model: LanguageModel, zone: str
) -> Trace:
    preset = conversation.preset_with(model)
    attributes: TraceAttributes = {
        "conversation": str(conversation.public_id),
        "turn": str(turn_id),
        "model": model.name,
        "preset": preset.name if preset else "",
    }
    if zone:
        attributes["timezone"] = zone
    root = recorder.begin_trace(
        conversation.archive_id, conversation.owner_id, title_of(name), attributes
    )
    return root.trace


def _announce(turn: Turn) -> None:
    """The event comes with the ring, so that it is the first one of the turn."""
    event, ring = events.turn_event(turn), TurnRing.now(turn.pk, turn.user_id)
    events.emit_and_ring(turn.conversation.public_id, event, ring)
