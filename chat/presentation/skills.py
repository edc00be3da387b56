"""A skill that was loaded, at the card of its call: its name, and the instructions."""

import re
from dataclasses import dataclass
from functools import cached_property

from chat.markdown import render
from chat.presentation.text import well_formed
from tools.local.agent import LOAD_SKILL
from tracing.formatting.text import visible

# What `chat.agent.skills.load` answers; of a long one the model may have been shown a part.
_LOADED = re.compile(r'<skill name="([^"\n]+)">\n(.*?)(?:\n</skill>)?\Z', re.DOTALL)


@dataclass(frozen=True)
class SkillView:
    name: str
    body: str

    @cached_property
    def html(self) -> str:
        return render(self.body)


def skill_view(tool: str, result: str | None, is_error: bool) -> SkillView | None:
    """None of a call that loaded no skill."""
    found = _LOADED.match(result or "") if tool == LOAD_SKILL.name and not is_error else None
    return SkillView(visible(found[1]), well_formed(found[2])) if found else None
