"""Which skills a conversation offers, as its menu shows them and a person chooses them.

A choice (`Conversation.skills`) is a list of names, or of patterns; null is the preset's.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from chat.agent.skills import fits
from chat.errors import Rejected
from chat.models import Conversation, Skill
from db.fields import storable
from limits.chat import MAX_CHOSEN_SKILLS, MAX_SKILL_NAME

UNREADABLE = "The choice of skills is invalid. Reload the page."

Choice = list[str]


@dataclass(frozen=True)
class OfferedSkill:
    """A skill as the menu shows it."""

    skill: Skill
    is_on: bool


def menu(patterns: Sequence[str] | None) -> list[OfferedSkill]:
    """Every skill that works, and which of them these patterns name."""
    working = Skill.objects.filter(enabled=True, problem="")
    return [OfferedSkill(skill, fits(skill.name, patterns)) for skill in working]


def choose(conversation: Conversation, choice: Choice | None) -> None:
    """What the next request offers; null is what the preset says."""
    Conversation.objects.filter(pk=conversation.pk).update(skills=choice)


def read_choice(written: object) -> Choice | None:
    """A choice as a client sends it. Raises `Rejected`."""
    if written is None:
        return None
    if not isinstance(written, list) or len(written) > MAX_CHOSEN_SKILLS:
        raise Rejected(UNREADABLE)
    if not all(isinstance(one, str) and len(one) <= MAX_SKILL_NAME for one in written):
        raise Rejected(UNREADABLE)
    return [storable(one) for one in written]
