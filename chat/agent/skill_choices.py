"""The skills that a conversation offers: its menu, and a person's choice.

A choice (`Conversation.skills`) is a list of names or patterns; None is the preset's choice.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from chat.agent.skills import fits
from chat.errors import Rejected
from chat.models import Conversation, Skill
from db.fields import storable
from db.users import AnyUser
from languages.later import later
from limits.chat import MAX_CHOSEN_SKILLS, MAX_SKILL_NAME

UNREADABLE = later("The choice of skills is invalid. Reload the page.")

Choice = list[str]


@dataclass(frozen=True)
class OfferedSkill:
    """A skill as the menu shows it."""

    skill: Skill
    is_on: bool


def menu(patterns: Sequence[str] | None, user: AnyUser) -> list[OfferedSkill]:
    """Every skill that the user may have, and which of them these patterns name."""
    rows = Skill.objects.for_user(user)
    return [OfferedSkill(skill, fits(skill.name, patterns)) for skill in rows]


def choose(conversation: Conversation, choice: Choice | None) -> None:
    """Sets the skills of the next request; None for those of the preset."""
    Conversation.objects.filter(pk=conversation.pk).update(skills=choice)


def read_choice(value: object) -> Choice | None:
    """A choice from a client's frame. Raises `Rejected`."""
    if value is None:
        return None
    if not isinstance(value, list) or len(value) > MAX_CHOSEN_SKILLS:
        raise Rejected(UNREADABLE)
    if not all(isinstance(name, str) and len(name) <= MAX_SKILL_NAME for name in value):
        raise Rejected(UNREADABLE)
    return [storable(name) for name in value]
