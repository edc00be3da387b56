"""Skills: what folders hold, what a conversation offers, and what `load_skill` returns.

SKILLS_DIR, uploads ─ refresh ─► Skill rows ─ offered ─► a line in the system prompt
                                             load ─────► the instructions
"""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone

from chat.agent import skill_files
from chat.engine.call import Call
from chat.models import Conversation, LanguageModel, Skill
from tools.calls import ToolResult

HEADING = "Skills available:"


def refresh() -> list[Skill]:
    """Looks at the folders again. What is gone is forgotten; what an admin switched off stays off.
    Of two skills with one name the first that is found counts, and the other is reported."""
    known = {skill.name: skill for skill in Skill.objects.all()}
    seen: dict[str, Skill] = {}
    for root, uploaded in ((bundled(), False), (directory(), False), (uploads(), True)):
        for folder in skill_files.find(root) if root else ():
            _keep(skill_files.read(folder), uploaded, known, seen)
    Skill.objects.exclude(name__in=seen).delete()
    return sorted(seen.values(), key=lambda skill: skill.name)


def offered(conversation: Conversation, model: LanguageModel) -> list[Skill]:
    """The skills of a conversation: what its preset names, or all that are on."""
    preset = conversation.preset_with(model)
    patterns = preset.skills if preset else None
    working = Skill.objects.filter(enabled=True, problem="")
    return [skill for skill in working if _fits(skill.name, patterns)]


def told(skills: Iterable[Skill]) -> str:
    """The part of the system prompt: names and descriptions alone."""
    lines = [f"- {skill.name}: {skill.description}" for skill in skills]
    return "\n".join([HEADING, *lines]) if lines else ""


def load(call: Call, arguments: dict[str, Any]) -> ToolResult:
    """The instructions of a skill; of an unknown one an error that names those there are."""
    assert call.turn.model is not None
    known = {skill.name: skill for skill in offered(call.turn.conversation, call.turn.model)}
    skill = known.get(str(arguments["name"]))
    if skill is None:
        names = ", ".join(known) or "none"
        return ToolResult.error(f"Error: unknown skill {arguments['name']!r}. Available: {names}.")
    read = skill_files.read(Path(skill.source))
    call.span.attributes["skill"] = skill.name
    beside = skill_files.files(read.folder)
    listed = (
        f"\n\nFiles of this skill (in /skills/{skill.name}):\n" + "\n".join(beside)
        if beside
        else ""
    )
    return ToolResult.of_text(f'<skill name="{skill.name}">\n{read.body}{listed}\n</skill>')


def bundled() -> Path:
    """The skills that ship with the program."""
    return Path(settings.BASE_DIR) / "chat" / "agent" / "bundled"


def directory() -> Path | None:
    """The operator's own (`SKILLS_DIR`)."""
    return Path(settings.SKILLS_DIR) if settings.SKILLS_DIR else None


def uploads() -> Path:
    """Where what admins upload is kept."""
    return Path(settings.HOME) / "skills"


def _keep(
    read: skill_files.SkillFile, uploaded: bool, known: dict[str, Skill], seen: dict[str, Skill]
) -> None:
    if read.name in seen:
        first = seen[read.name]
        first.problem = first.problem or ""
        return
    skill = known.get(read.name) or Skill(name=read.name)
    skill.description, skill.source = read.description, str(read.folder)
    skill.uploaded, skill.problem, skill.found = uploaded, read.problem, timezone.now()
    skill.save()
    seen[skill.name] = skill


def _fits(name: str, patterns: Any) -> bool:
    return patterns is None or any(fnmatchcase(name, glob) for glob in patterns)
