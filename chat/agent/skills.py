"""Skills of a conversation: which it offers, their text in the system prompt, loading one.

Names and descriptions of the offered skills are added to the system prompt of each request
(`chat.agent.system_prompt`): a skill that is switched off is absent from the next request on. The
text changes only when the skills do, which is also the only time that it costs the provider's
prompt cache; the preset's text comes first, the same for all conversations. Without `load_skill`,
or without skills, nothing is added.
"""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from chat.agent import skill_files
from chat.agent.claimed_call import ClaimedCall
from chat.llm.messages import ToolDefinition
from chat.models import Conversation, LanguageModel, Skill
from db.users import AnyUser
from tools.local.agent import LOAD_SKILL
from tools.values.call import ToolResult
from tracing.models.attributes import call_attributes

HEADING = "Skills available:"


def offered(conversation: Conversation, model: LanguageModel | None, user: AnyUser) -> list[Skill]:
    """The skills of a conversation: those of this user that it or its preset names, or
    all."""
    patterns = conversation.skills
    if patterns is None:
        preset = conversation.preset_with(model) if model else conversation.preset
        patterns = preset.skills if preset else None
    working = Skill.objects.working_for(user)
    return [skill for skill in working if fits(skill.name, patterns)]


def fits(name: str, patterns: Sequence[str] | None) -> bool:
    return patterns is None or any(fnmatchcase(name, glob) for glob in patterns)


def listing(skills: Sequence[Skill]) -> str:
    """The part of the system prompt: names and descriptions."""
    lines = [f"- {skill.name}: {skill.description}" for skill in skills]
    return "\n".join([HEADING, *lines]) if lines else ""


def prompt_text(
    conversation: Conversation,
    model: LanguageModel,
    tools: Sequence[ToolDefinition],
    user: AnyUser,
) -> str:
    """The listing for the next request; "" if `load_skill` is not among its tools."""
    if not any(tool["function"]["name"] == LOAD_SKILL.name for tool in tools):
        return ""
    return listing(offered(conversation, model, user))


def load(call: ClaimedCall, arguments: dict[str, Any]) -> ToolResult:
    """The instructions of a skill, read from its file; of an unknown skill an error that names the
    others."""
    turn = call.turn
    by_name = {skill.name: skill for skill in offered(turn.conversation, turn.model, turn.user)}
    skill = by_name.get(str(arguments["name"]))
    if skill is None:
        names = ", ".join(by_name) or "none"
        return ToolResult.error(f"Error: unknown skill {arguments['name']!r}. Available: {names}.")
    file = skill_files.read(Path(skill.source))
    if file.problem:
        return ToolResult.error(f"Error: the skill {skill.name} cannot be loaded. {file.problem}")
    call_attributes(call.span)["skill"] = skill.name
    return ToolResult.of_text(f'<skill name="{skill.name}">\n{file.body}\n</skill>')
