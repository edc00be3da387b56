"""Giving what a leaving person made to somebody else: assistants, prompts, MCP servers, skills.

What is published for everybody has no owner and stays when its maker leaves. What somebody owns
goes with their account, unless it is given to another person first. Conversations are private and
are never given.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from audit.models import Action
from audit.recording import record
from chat.errors import Rejected
from chat.models import Preset, PromptTemplate, Skill
from tools.models import Server


@dataclass(frozen=True)
class Owned:
    """How many of each somebody owns, or got."""

    assistants: int
    prompts: int
    servers: int
    skills: int

    @property
    def total(self) -> int:
        return self.assistants + self.prompts + self.servers + self.skills


def owned_by(user: User) -> Owned:
    return Owned(
        assistants=Preset.objects.filter(owner=user).count(),
        prompts=PromptTemplate.objects.filter(owner=user).count(),
        servers=Server.objects.filter(owner=user).count(),
        skills=Skill.objects.filter(uploader=user).count(),
    )


def transfer(by: User, user: User, to: User) -> Owned:
    """Gives all of it to `to`; a name that `to` uses already gets a number. Raises `Rejected`."""
    if user.pk == to.pk or not to.is_active:
        raise Rejected(_("Choose another person, whose account is active."))
    with transaction.atomic():
        given = Owned(
            assistants=_give_presets(user, to),
            prompts=_give_prompts(user, to),
            servers=Server.objects.filter(owner=user).update(owner=to),
            skills=Skill.objects.filter(uploader=user).update(uploader=to),
        )
        record(Action.ACCOUNT_TRANSFERRED, by, user, to=to.get_username(), **asdict(given))
    return given


def _give_presets(user: User, to: User) -> int:
    names = set(Preset.objects.filter(owner=to).values_list("name", flat=True))
    rows = list(Preset.objects.filter(owner=user).values_list("pk", "name"))
    most = Preset._meta.get_field("name").max_length or 0
    for pk, name in rows:
        free = _free(name, names.__contains__, most)
        names.add(free)
        Preset.objects.filter(pk=pk).update(owner=to, name=free)
    return len(rows)


def _give_prompts(user: User, to: User) -> int:
    names = set(PromptTemplate.objects.filter(owner=to).values_list("name", flat=True))
    rows = list(PromptTemplate.objects.filter(owner=user).values_list("pk", "name"))
    most = PromptTemplate._meta.get_field("name").max_length or 0
    for pk, name in rows:
        free = _free(name, names.__contains__, most)
        names.add(free)
        PromptTemplate.objects.filter(pk=pk).update(owner=to, name=free)
    return len(rows)


def _free(name: str, is_taken: Callable[[str], bool], most: int) -> str:
    """The name, or the first one with a number that is free; at most `most` characters."""
    number, free = 1, name
    while is_taken(free):
        number += 1
        end = f" {number}"
        free = name[: most - len(end)] + end
    return free
