"""What a person has set: custom instructions for all conversations, those of a project, and
instructions and parameters of one conversation, within what the model takes and its admin allows.

Requests say them in this order, from what is common to what is particular: of the person, of the
project, of the conversation. Where two of them differ, models follow the later one."""

from collections.abc import Collection
from typing import Any

from chat import programs
from chat.agent import memory, project_text
from chat.llm.parameters import taken
from chat.models import Conversation, LanguageModel, PersonalSettings, Turn

OF_PERSON = "Custom instructions of the user:"
OF_CONVERSATION = "Instructions for this conversation:"


def prompt_texts(turn: Turn, tools: Collection[str] = ()) -> dict[str, str]:
    """What the turn's requests say after the system prompt, by key (`chat.agent.system_prompt`). A
    query only for a person who has switched memory on, and for a conversation in a project, whose
    files are named if one of these tools reads them. A subagent knows what it is given; where
    others write, nothing personal is said (docs/decisions/shared-conversations.md)."""
    if turn.conversation.parent_call_id is not None:
        return {}
    personal = PersonalSettings.of(turn.user).instructions if turn.has_personal_texts else ""
    return {
        "custom_instructions": _headed(OF_PERSON, personal),
        "project": project_text.prompt_text(turn, tools),
        "instructions": _headed(OF_CONVERSATION, turn.conversation.instructions),
        "memory": memory.prompt_text(turn.user) if memory.is_on(turn) else "",
    }


def settable(model: LanguageModel) -> list[str]:
    """Names of the parameters that people may set for a conversation with this model."""
    opened = model.open_parameters
    names = taken(model.provider.protocol, model.name)
    return [name for name in names if opened is None or name in opened]


def max_tokens(model: LanguageModel) -> int | None:
    """The most tokens of an answer that a conversation may ask for; None: the provider says."""
    most = model.parameters.get("max_tokens")
    return most if isinstance(most, int) else None


def parameters(conversation: Conversation, model: LanguageModel) -> dict[str, Any]:
    """The model's parameters, with those that the conversation has of its own."""
    stored = conversation.parameters if isinstance(conversation.parameters, dict) else {}
    of_program = programs.parameters(conversation)
    if not stored:
        return {**model.parameters, **of_program}
    allowed = settable(model)
    own = {name: value for name, value in stored.items() if name in allowed}
    most = max_tokens(model)
    if most is not None and "max_tokens" in own:
        own["max_tokens"] = min(own["max_tokens"], most)
    return {**model.parameters, **own, **of_program}


def _headed(heading: str, text: str) -> str:
    return f"{heading}\n{text.strip()}" if text.strip() else ""
