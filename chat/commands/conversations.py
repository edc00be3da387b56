"""What a person does to a conversation as a whole."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from chat import events
from chat.errors import Rejected
from chat.models import Conversation, Message, Preset, Turn
from chat.offering import Choice
from limits.chat import MAX_TITLE
from tracing.formatting.text import visible


def rename(conversation: Conversation, title: str) -> None:
    """Gives a new title and tells every page that shows it. A blank one changes nothing."""
    title = " ".join(title.replace("\x00", "").split())[:MAX_TITLE]
    if title:
        Conversation.objects.filter(pk=conversation.pk).update(title=title)
        events.emit(conversation.public_id, {"type": "conversation", "title": title})


def delete(conversations: QuerySet[Conversation]) -> None:
    """Deletes them with their traces and tells every page that shows one of them."""
    deleted = list(conversations.values_list("public_id", flat=True))
    with transaction.atomic():
        conversations.delete()
    for public_id in deleted:
        events.emit(public_id, {"type": "deleted"})


def choose_tools(conversation: Conversation, choice: Choice | None) -> None:
    """What the next request offers; null is what the preset says."""
    Conversation.objects.filter(pk=conversation.pk).update(tools=choice)


def choose_preset(conversation: Conversation, preset: Preset | None) -> None:
    """Another preset, from the next turn on; without one the model's. Tells every page that shows
    it. Raises `Rejected` while a turn is open.

    Tools, policies, skills and limits are read from the preset's row round by round. Its system
    prompt is a message, and stored messages never change: another prompt is another message at the
    end of the thread, and a request begins with the last one before its question. So turns, and
    forks of them, keep the prompt that they had; and where a preset is edited, a conversation that
    has begun with it keeps its prompt until somebody chooses it again.
    """
    with transaction.atomic():
        # First, as every send's: whichever comes second sees what the other has done.
        Conversation.objects.filter(pk=conversation.pk).update(preset=preset)
        if Turn.objects.open().filter(conversation=conversation.pk).exists():
            raise Rejected(
                "An answer is in progress. Choose another assistant when it is complete."
            )
        conversation.preset = preset
        _say(conversation)
    name = visible(preset.name) if preset else ""
    events.emit(conversation.public_id, {"type": "assistant", "name": name})


def choose_limits(conversation: Conversation, limits: dict[str, Any]) -> None:
    """Numbers of the conversation's own (`chat.agent.limits`), from the next round on."""
    Conversation.objects.filter(pk=conversation.pk).update(limits=limits)


def _say(conversation: Conversation) -> None:
    """Stores the system prompt that counts from now on, if it is another one."""
    model = conversation.model
    preset = conversation.preset_with(model) if model else conversation.preset
    wanted = preset.system_prompt if preset else ""
    said = conversation.messages.filter(role=Message.Role.SYSTEM).order_by("-id").first()
    if wanted != (said.body.get("content") if said else ""):
        Message.objects.create(
            conversation=conversation,
            parent=conversation.messages.order_by("-id").first(),
            role=Message.Role.SYSTEM,
            body={"role": "system", "content": wanted},
        )
