"""Creating a conversation with its first message."""

import uuid
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils import timezone

from chat.commands.answerers import model_of_preset
from chat.models import Conversation, LanguageModel, Message, Preset, Project
from chat.offering import Choice
from limits.chat import MAX_FIRST_TITLE
from tracing.models import Archive


@dataclass(frozen=True)
class NewConversation:
    """The settings of a new conversation; None for those of its model's preset. In a project that
    has an assistant, this is the one without a preset."""

    preset: Preset | None = None
    tools: Choice | None = None
    skills: list[str] | None = None
    is_temporary: bool = False
    project: Project | None = None

    def model_id(self, user: User) -> uuid.UUID | None:
        """The preset's model, if it is offered to the user."""
        return model_of_preset(user, self.preset)


def begin_conversation(
    user: User, name: str, model: LanguageModel, settings: NewConversation
) -> tuple[Conversation, Message | None]:
    """A new conversation, and its system prompt, if it has one."""
    archive = Archive.objects.insert(owner=user)
    conversation = Conversation.objects.insert(
        owner=user,
        archive=archive,
        model=model,
        title=title_of(name),
        preset=settings.preset,
        project=settings.project,
        tools=settings.tools,
        skills=settings.skills,
        is_temporary=settings.is_temporary,
        watched=timezone.now() if settings.is_temporary else None,
    )
    preset = conversation.preset_with(model)
    if preset is None or not preset.system_prompt:
        return conversation, None
    body = {"role": "system", "content": preset.system_prompt}
    system = Message.Role.SYSTEM
    return conversation, Message.objects.insert(conversation=conversation, role=system, body=body)


def title_of(text: str) -> str:
    """A title from a text: one line, without characters that a database refuses."""
    storable = text.replace("\x00", "").encode(errors="replace").decode()
    line = " ".join(storable.split())
    return line if len(line) <= MAX_FIRST_TITLE else line[: MAX_FIRST_TITLE - 1] + "…"
