"""Skills as a conversation has them: which it offers, what its model is told, what was loaded.

Of a skill that is offered a model knows the name and the description. They stand at the end of the
system prompt that a request is made with, and are stored nowhere else: the stored message stays
what the preset said, a skill that is switched off is gone from the next request on, and a trace
shows what the model read. The text changes only when the skills do, so that a provider's prompt
cache is lost then, and not otherwise; what the preset says stays in front, the same for all
conversations. Where `load_skill` is not offered, or no skill is, nothing is added.
"""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from chat.agent import skill_files
from chat.agent.claimed_call import ClaimedCall
from chat.agent.compaction import Kept
from chat.llm.messages import Message as CanonicalMessage
from chat.llm.messages import ToolDefinition, text_of
from chat.models import Conversation, LanguageModel, Skill
from tools.local.agent import LOAD_SKILL
from tools.values.call import ToolResult
from tracing.models.attributes import call_attributes

HEADING = "Skills available:"


def offered(conversation: Conversation, model: LanguageModel | None) -> list[Skill]:
    """The skills of a conversation: what it or its preset names, or all that are on."""
    patterns = conversation.skills
    if patterns is None:
        preset = conversation.preset_with(model) if model else conversation.preset
        patterns = preset.skills if preset else None
    return [skill for skill in Skill.objects.working() if fits(skill.name, patterns)]


def fits(name: str, patterns: Sequence[str] | None) -> bool:
    return patterns is None or any(fnmatchcase(name, glob) for glob in patterns)


def told(skills: Sequence[Skill]) -> str:
    """The part of the system prompt: names and descriptions alone."""
    lines = [f"- {skill.name}: {skill.description}" for skill in skills]
    return "\n".join([HEADING, *lines]) if lines else ""


def told_to(
    conversation: Conversation, model: LanguageModel, tools: Sequence[ToolDefinition]
) -> str:
    """The same for the next request, if `load_skill` is among its tools."""
    if not any(tool["function"]["name"] == LOAD_SKILL.name for tool in tools):
        return ""
    return told(offered(conversation, model))


def with_skills(messages: Sequence[Kept], text: str) -> list[Kept]:
    """The messages with this at the end of the system prompt, or as one. The message says which
    words are not its own (`skills`); one that was recorded with them has them already."""
    if not text or (messages and messages[0].body.get("skills")):
        return list(messages)
    if not messages or messages[0].body["role"] != "system":
        return [Kept(0, _system(text, text)), *messages]
    first, *rest = messages
    own = text_of(first.body.get("content"))
    return [Kept(first.pk, _system(f"{own}\n\n{text}" if own else text, text)), *rest]


def load(call: ClaimedCall, arguments: dict[str, Any]) -> ToolResult:
    """The instructions of a skill, as its file has them now; of an unknown one an error that names
    those there are."""
    known = {skill.name: skill for skill in offered(call.turn.conversation, call.turn.model)}
    skill = known.get(str(arguments["name"]))
    if skill is None:
        names = ", ".join(known) or "none"
        return ToolResult.error(f"Error: unknown skill {arguments['name']!r}. Available: {names}.")
    read = skill_files.read(Path(skill.source))
    if read.problem:
        return ToolResult.error(f"Error: the skill {skill.name} cannot be loaded. {read.problem}")
    call_attributes(call.span)["skill"] = skill.name
    return ToolResult.of_text(f'<skill name="{skill.name}">\n{read.body}\n</skill>')


def _system(content: str, added: str) -> CanonicalMessage:
    return {"role": "system", "content": content, "skills": added}
