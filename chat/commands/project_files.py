"""The files of projects: kept as attachments are, and seen by workspaces below `project/`.

Each change counts `files_revision` of the project first, which locks its row: of two changes the
second sees the first, so that names are there once and the limits hold.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from chat import storage
from chat.attachments import uploads
from chat.attachments.uploads import Kept
from chat.errors import Rejected
from chat.files import names
from chat.models import Project, ProjectFile, name_in_workspace
from chat.quotas.admission import admit_upload
from limits.projects import MAX_PROJECT_BYTES, MAX_PROJECT_FILES
from tracing.formatting.figures import size

# What to do if the name is taken: "" asks the person.
Taken = Literal["", "replace", "both"]
_TAKEN: tuple[Taken, ...] = ("", "replace", "both")
# Bytes that a name leaves for the ending of a document's text.
_SPARE = len(".txt")


class NameTaken(Rejected):
    """The project has a file of this name; `free` is a name that it has not."""

    def __init__(self, name: str, free: str) -> None:
        super().__init__(_("The project has a file %(name)s already.") % {"name": name})
        self.name, self.free = name, free


@dataclass(frozen=True)
class Stored:
    """A file that was stored; `note` says which part of a document its text is."""

    file: ProjectFile
    note: str = ""


def read_taken(value: str) -> Taken:
    """The choice of this value; any other value asks."""
    return next((one for one in _TAKEN if one == value), "")


def add(user: User, project: Project, name: str, content: bytes, taken: Taken = "") -> Stored:
    """Stores a file. Raises `NameTaken`, and `Rejected` beyond a limit and for what is neither an
    image nor a text."""
    name = names.clean(name, _SPARE)
    kept = uploads.read(content)
    storage.check_upload(user.pk, len(kept.sniffed.content))
    admit_upload(user)
    with transaction.atomic():
        _count_change(project)
        rows = {row.name: row for row in project.files.defer("content")}
        document = kept.document or ""
        before = _before(rows.values(), name, document)
        if before is not None and taken != "replace":
            free = _free(rows.values(), name, document)
            if taken == "":
                raise NameTaken(name, free)
            name, before = free, None
        _check_room(rows.values(), kept, before)
        if before is not None:
            file = _replace(before, name, kept)
        else:
            file = ProjectFile.objects.create(project=project, name=name, **_columns(kept))
    return Stored(file, kept.note)


def replace(user: User, file: ProjectFile, content: bytes) -> Stored:
    """Puts another content in the place of a file's, under the same name. Raises `Rejected`."""
    kept = uploads.read(content)
    storage.check_upload(user.pk, len(kept.sniffed.content))
    admit_upload(user)
    with transaction.atomic():
        _count_change(file.project)
        rows = list(file.project.files.defer("content"))
        before = next((row for row in rows if row.pk == file.pk), None)
        if before is None:
            raise Rejected(_("This file was removed meanwhile. Upload it as a new one."))
        _check_room(rows, kept, before)
        return Stored(_replace(before, before.name, kept), kept.note)


def remove(file: ProjectFile) -> None:
    """Deletes a file; the next call of a tool does not see it."""
    with transaction.atomic():
        _count_change(file.project)
        ProjectFile.objects.filter(pk=file.pk).delete()


def _count_change(project: Project) -> None:
    rows = Project.objects.filter(pk=project.pk)
    if not rows.update(files_revision=F("files_revision") + 1):
        raise Rejected(_("This project was deleted meanwhile."))


def _replace(before: ProjectFile, name: str, kept: Kept) -> ProjectFile:
    changed = {"name": name, "updated": timezone.now(), **_columns(kept)}
    rows = ProjectFile.objects.filter(pk=before.pk)
    rows.update(revision=F("revision") + 1, **changed)
    return rows.defer("content").get()


def _columns(kept: Kept) -> dict[str, object]:
    sniffed = kept.sniffed
    return {
        "document": kept.document or "",
        "media_type": sniffed.media_type,
        "size": len(sniffed.content),
        "content": sniffed.content,
    }


def _before(rows: Iterable[ProjectFile], name: str, document: str) -> ProjectFile | None:
    """The file that has this name, here or in workspaces."""
    wanted = {name, name_in_workspace(name, document)}
    return next(
        (row for row in rows if not wanted.isdisjoint({row.name, row.workspace_name})), None
    )


def _free(rows: Iterable[ProjectFile], name: str, document: str) -> str:
    rows = list(rows)
    for other in names.others(name, _SPARE):
        if _before(rows, other, document) is None:
            return other
    raise Rejected(
        _("There are too many files named %(name)s. Give this one another name.") % {"name": name}
    )


def _check_room(rows: Iterable[ProjectFile], kept: Kept, before: ProjectFile | None) -> None:
    others = [row for row in rows if before is None or row.pk != before.pk]
    if before is None and len(others) >= MAX_PROJECT_FILES:
        raise Rejected(
            _("This project has %(most)s files, which is the limit. Remove one first.")
            % {"most": MAX_PROJECT_FILES}
        )
    together = sum(row.size for row in others) + len(kept.sniffed.content)
    if together > MAX_PROJECT_BYTES:
        sizes = {"together": size(together), "most": size(MAX_PROJECT_BYTES)}
        raise Rejected(
            _(
                "The files of this project would have %(together)s together; the limit is "
                "%(most)s. Remove some first."
            )
            % sizes
        )
