"""Changes of a conversation as a whole: title, tools, preset, limits, deletion."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext

from chat import events
from chat.commands import branches
from chat.errors import Rejected
from chat.models import Conversation, Message, Preset, Turn
from chat.offering import Choice
from limits.chat import MAX_TITLE


def rename(conversation: Conversation, title: str) -> None:
    """Sets the title, which no model changes from now on, and announces it. A blank title changes
    nothing."""
    title = " ".join(title.replace("\x00", "").split())[:MAX_TITLE]
    if title:
        named_by = Conversation.NamedBy.PERSON
        Conversation.objects.filter(pk=conversation.pk).update(title=title, named_by=named_by)
        events.emit(conversation.public_id, {"type": "conversation", "title": title})


def delete(conversations: QuerySet[Conversation]) -> None:
    """Deletes conversations with their traces and announces it."""
    public_ids = list(conversations.values_list("public_id", flat=True))
    nested = Conversation.objects.filter(archive__parent__in=conversations.values("archive"))
    nested_ids = list(nested.values_list("public_id", flat=True))
    turns = Turn.objects.latest_ids_in(conversations) + Turn.objects.latest_ids_in(nested)
    with transaction.atomic():
        conversations.delete()
    for public_id in public_ids:
        events.emit(public_id, {"type": "deleted"})
    events.forget([*public_ids, *nested_ids], turns)


def choose_tools(conversation: Conversation, choice: Choice | None) -> None:
    """Sets the tools that the next request offers; None for those of the preset."""
    Conversation.objects.filter(pk=conversation.pk).update(tools=choice)


def choose_preset(conversation: Conversation, preset: Preset | None) -> None:
    """Sets the preset from the next turn on, None for the model's, and announces it. Raises
    `Rejected` while a turn is open.

    Tools, policies, skills and limits are read from the preset's row in each round. The system
    prompt is a message, and stored messages never change: another prompt is another message at the
    end of the thread, and a request begins with the last prompt before its question. So turns, and
    forks of them, keep their prompt; a conversation whose preset is edited keeps its prompt until
    somebody chooses the preset again.
    """
    with transaction.atomic():
        # First, as in sending: of two transactions the second sees the changes of the first.
        Conversation.objects.filter(pk=conversation.pk).update(preset=preset)
        if Turn.objects.open().filter(conversation=conversation.pk).exists():
            raise Rejected(
                gettext("An answer is in progress. Choose another assistant when it is complete.")
            )
        conversation.preset = preset
        _store_prompt(conversation)
    events.emit(conversation.public_id, branches.assistant_event(preset))


def choose_limits(conversation: Conversation, limits: dict[str, Any]) -> None:
    """Sets the conversation's own limits (`chat.agent.limits`) from the next round on."""
    Conversation.objects.filter(pk=conversation.pk).update(limits=limits)


def choose_own(conversation: Conversation, instructions: str, parameters: dict[str, Any]) -> None:
    """Sets the conversation's own instructions and parameters (`chat.agent.own_settings`) from the
    next round on."""
    rows = Conversation.objects.filter(pk=conversation.pk)
    rows.update(instructions=instructions, parameters=parameters)


def _store_prompt(conversation: Conversation) -> None:
    """Appends the preset's system prompt to the shown branch, if that has another one."""
    model = conversation.model
    preset = conversation.preset_with(model) if model else conversation.preset
    prompt = preset.system_prompt if preset else ""
    if prompt != branches.shown_prompt(conversation.pk):
        leaf = Turn.objects.leaf(conversation.pk).pk
        Message.objects.create(
            conversation=conversation,
            turn_id=leaf,
            parent=branches.last_message(conversation.pk, leaf),
            role=Message.Role.SYSTEM,
            body={"role": "system", "content": prompt},
        )
