"""The machine that has a conversation's workspace: recorded at its first use, by compare-and-set.

"" ── claim ──► machine ── (it is gone, and the files are in object storage) ──► another machine
                   └────── (it is gone, and they are nowhere else) ──► calls wait, then fail
"""

import random
from dataclasses import dataclass

from django.conf import settings
from django.utils import timezone

from chat.models import Conversation, WorkspacePlace
from chat.placement import machines
from limits.placement import MAX_MACHINE_ABSENCE
from tools.errors import ToolError

LOST = (
    "The files of this conversation are on the machine {machine}, which is out of reach{since}. "
    "The call was not run. Tell the user that an admin has to bring that machine back."
)


class Unreachable(ToolError):
    """The machine that has the files does not answer."""


@dataclass(frozen=True)
class Here:
    """This machine has the workspace."""


@dataclass(frozen=True)
class Elsewhere:
    """Another machine has it, and is there."""

    machine: str


@dataclass(frozen=True)
class Awaited:
    """Another machine has it, which was there a moment ago."""


@dataclass(frozen=True)
class Lost:
    """Another machine has it, which is gone. `sentence` is for the model."""

    sentence: str


Where = Here | Elsewhere | Awaited | Lost


def place_of(conversation_id: int) -> WorkspacePlace:
    """The row of a conversation (its key); made if it is missing."""
    return WorkspacePlace.objects.get_or_create(conversation_id=conversation_id)[0]


def claim(conversation_id: int) -> Where:
    """Finds who has the workspace of this conversation (its key); takes it if nobody has it, or who
    had it is gone and the files are in object storage."""
    me = machines.name()
    while True:
        place = place_of(conversation_id)
        if place.machine == me:
            return Here()
        where = _of_other(place.machine) if place.machine else None
        if where is not None:
            return where
        unchanged = WorkspacePlace.objects.filter(pk=place.pk, machine=place.machine)
        if unchanged.update(machine=me):
            return Here()


def _of_other(machine: str) -> Where | None:
    """None if the workspace may be taken over."""
    if machines.is_present(machine):
        return Elsewhere(machine)
    if settings.WORKSPACES_KIND == "stored":
        return None
    seen = machines.last_seen(machine)
    if seen is not None and timezone.now() - seen < MAX_MACHINE_ABSENCE:
        return Awaited()
    since = f" (last seen {seen:%Y-%m-%d %H:%M} UTC)" if seen else ""
    return Lost(LOST.format(machine=machine, since=since))


def machine_for(conversation: Conversation) -> str:
    """The machine that has the files; if none has, one that is there gets them. Raises
    `Unreachable`."""
    while True:
        place = place_of(conversation.pk)
        if place.machine:
            return place.machine
        names = list(machines.present().values_list("name", flat=True))
        if not names:
            raise Unreachable("no tools worker is there to keep the files")
        chosen = random.choice(names)
        WorkspacePlace.objects.filter(pk=place.pk, machine="").update(machine=chosen)


def release(machine: str) -> int:
    """Lets other machines take the workspaces of this one; how many. For files in object storage,
    and for an operator who has copied the folders or gives them up."""
    return WorkspacePlace.objects.filter(machine=machine).update(machine="")


def move(machine: str, target: str) -> int:
    """Says that `target` has the workspaces now; how many. An operator has copied the folders."""
    return WorkspacePlace.objects.filter(machine=machine).update(machine=target)
