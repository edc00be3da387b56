"""The card of a call that loaded a skill: the skill's name and instructions."""

import re
from dataclasses import dataclass
from functools import cached_property

from chat.markdown import render
from chat.presentation.text import well_formed
from tools.local.agent import LOAD_SKILL
from tracing.formatting.text import visible

# The result of `chat.agent.skills.load`; a long one may be cut.
_LOADED = re.compile(r'<skill name="([^"\n]+)">\n(.*?)(?:\n</skill>)?\Z', re.DOTALL)


@dataclass(frozen=True)
class SkillView:
    name: str
    body: str

    @cached_property
    def html(self) -> str:
        return render(self.body)


def skill_view(tool: str, result: str | None, is_error: bool) -> SkillView | None:
    """None for a call that loaded no skill."""
    match = _LOADED.match(result or "") if tool == LOAD_SKILL.name and not is_error else None
    return SkillView(visible(match[1]), well_formed(match[2])) if match else None
