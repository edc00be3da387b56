"""Projects: making, changing, archiving and deleting them. Their files: `project_files`."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from chat import project_folders, storage
from chat.commands import conversations
from chat.errors import Rejected
from chat.models import Conversation, Preset, Project
from db.fields import storable
from limits.projects import MAX_PROJECT_INSTRUCTIONS, MAX_PROJECT_NAME, MAX_PROJECTS


class InstructionsChanged(Rejected):
    """The instructions were changed since the person's page read them; `current` is the project."""

    def __init__(self, current: Project) -> None:
        super().__init__(
            _(
                "Not saved: the instructions were changed in another tab or on another device. "
                "Your text is still here, and the saved one stands below it."
            )
        )
        self.current = current


@dataclass(frozen=True)
class Details:
    """What a person sets of a project."""

    name: str
    colour: str = ""
    preset: Preset | None = None


def create(user: User, details: Details) -> Project:
    """A new project. Raises `Rejected`."""
    storage.check_upload(user.pk)
    if Project.objects.for_user(user).count() >= MAX_PROJECTS:
        raise Rejected(
            _("You have %(most)s projects, which is the limit. Delete one first.")
            % {"most": MAX_PROJECTS}
        )
    return Project.objects.create(owner=user, **_columns(details))


def named(user: User, name: str) -> Project | None:
    """The user's project of this name, made if there is none; None if it cannot be made."""
    known = Project.objects.for_user(user).filter(name=name).order_by("archived", "pk").first()
    try:
        return known or create(user, Details(name))
    except Rejected:
        return None


def change_details(project: Project, details: Details) -> None:
    """Sets name, colour and assistant. Raises `Rejected`."""
    Project.objects.filter(pk=project.pk).update(**_columns(details))


def change_instructions(project: Project, text: str, revision: int) -> None:
    """Sets what the next requests of its conversations say, by compare-and-set of the revision that
    the person had read. Raises `Rejected`, and `InstructionsChanged` for another revision."""
    text = text.replace("\r\n", "\n").strip()
    if len(text) > MAX_PROJECT_INSTRUCTIONS:
        counts = {"count": f"{len(text):,}", "most": f"{MAX_PROJECT_INSTRUCTIONS:,}"}
        raise Rejected(
            _("The instructions have %(count)s characters; the limit is %(most)s. Shorten them.")
            % counts
        )
    if len(text) > len(project.instructions):
        storage.check_upload(project.owner_id, len(text))
    rows = Project.objects.filter(pk=project.pk)
    if rows.filter(revision=revision).update(instructions=text, revision=F("revision") + 1):
        return
    current = rows.first()
    if current is None:
        raise Rejected(_("This project was deleted meanwhile. Copy your text if you need it."))
    if current.instructions != text:
        raise InstructionsChanged(current)


def archive(project: Project) -> None:
    """Takes it out of the sidebar; its conversations stay in it."""
    Project.objects.filter(pk=project.pk, archived=None).update(archived=timezone.now())


def unarchive(project: Project) -> None:
    Project.objects.filter(pk=project.pk).update(archived=None)


def delete(project: Project, *, with_conversations: bool) -> int:
    """Deletes a project with its files, and if wanted its conversations, which are in no project
    otherwise. Their number."""
    within = Conversation.objects.filter(project=project.pk)
    count = within.count()
    if with_conversations:
        conversations.delete(within)
    with transaction.atomic():
        project_folders.remove_after_commit([project.public_id])
        project.delete()
    return count


def _columns(details: Details) -> dict[str, Any]:
    colours = Project.Colour.values
    colour = details.colour if details.colour in colours else Project.Colour.NONE
    return {"name": clean_name(details.name), "colour": colour, "preset": details.preset}


def clean_name(text: str) -> str:
    """The name of a project as it is stored. Raises `Rejected`."""
    name = " ".join(storable(text).split())
    if not name:
        raise Rejected(_("A project needs a name."))
    if len(name) > MAX_PROJECT_NAME:
        raise Rejected(
            _("The name has %(count)s characters; the limit is %(most)s.")
            % {"count": len(name), "most": MAX_PROJECT_NAME}
        )
    return name
