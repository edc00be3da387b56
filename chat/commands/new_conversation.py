"""Creating a conversation with its first message."""

import uuid
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils import timezone

from chat.commands.answerers import model_of_preset
from chat.models import Conversation, LanguageModel, Message, Preset, Project
from chat.offering import Choice
from chat.programs import Program
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
    program: Program | None = None

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
        **(settings.program.columns() if settings.program else {}),
    )
    prompt = _prompt(conversation, model, settings.program)
    if not prompt:
        return conversation, None
    body = {"role": "system", "content": prompt}
    system = Message.Role.SYSTEM
    return conversation, Message.objects.insert(conversation=conversation, role=system, body=body)


def _prompt(conversation: Conversation, model: LanguageModel, program: Program | None) -> str:
    """The assistant's system prompt; of a plain model the program's."""
    if program is not None and program.is_plain:
        return program.prompt
    preset = conversation.preset_with(model)
    return preset.system_prompt if preset else ""


def title_of(text: str) -> str:
    """A title from a text: one line, without characters that a database refuses."""
    storable = text.replace("\x00", "").encode(errors="replace").decode()
    line = " ".join(storable.split())
    return line if len(line) <= MAX_FIRST_TITLE else line[: MAX_FIRST_TITLE - 1] + "…"
