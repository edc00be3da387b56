"""The files of projects as the tools of workspaces see them: below `project/`, read-only.

The rows are the authority. A folder is made of them when a call needs it, one for each state of a
project's files (`Project.files_revision`), and not changed any more:

    PROJECT_FOLDERS / <public id> / <files revision> / <files>

so a call sees the files as they were when it began, and the next one what was changed meanwhile.
The folder before the current one stays for calls that still run.
"""

import logging
import os
import secrets
import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db import transaction

from chat.models import Project, ProjectFile
from tools.values.folders import Folder
from tools.workspace.paths import INSIDE
from tools.workspace.removal import remove_workspace

logger = logging.getLogger(__name__)

NAME = "project"
# Times that the folder is written anew because files were changed meanwhile.
_TRIES = 3
_WRITING = ".writing-"
# Seconds after which what is being written is what a killed process has left.
_WRITING_S = 3_600


def lent(project: int) -> Folder | None:
    """The current files, as a folder of a workspace; None if the project was deleted. Raises
    OSError."""
    path = current(project)
    return None if path is None else Folder(path, f"{INSIDE}/{NAME}")


def current(project: int) -> Path | None:
    """The folder of the current files, made if it is not there: one statement if it is. None if the
    project was deleted."""
    for _ in range(_TRIES):
        state = Project.objects.files_state(project)
        if state is None:
            return None
        public_id, revision = state
        folder = folder_of(public_id) / str(revision)
        if folder.is_dir() or _make(project, folder, revision):
            return folder
    return folder


def folder_of(public_id: UUID) -> Path:
    """Where the folders of a project are; it may not exist."""
    return Path(settings.PROJECT_FOLDERS) / str(public_id)


def remove_after_commit(projects: Iterable[UUID]) -> None:
    """Removes the folders once the transaction has committed."""
    for public_id in projects:
        transaction.on_commit(partial(_remove, folder_of(public_id)))


def _remove(folder: Path) -> None:
    try:
        remove_workspace(folder)
    except OSError:
        logger.exception("the files of the project %s could not be removed as a whole", folder)


def _make(project: int, folder: Path, revision: int) -> bool:
    """Writes the files; False if they were changed meanwhile."""
    folder.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    # The commands of a sandbox are another user, who gets to the folder by its mount alone.
    folder.parent.parent.chmod(0o700)
    part = folder.with_name(f"{_WRITING}{secrets.token_hex(8)}")
    part.mkdir(mode=0o755)
    try:
        for key in list(ProjectFile.objects.filter(project=project).values_list("pk", flat=True)):
            if row := ProjectFile.objects.filter(pk=key).first():
                _write(part / row.workspace_name, row)
        state = Project.objects.files_state(project)
        if state is None or state[1] != revision:
            return False
        _put(part, folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    _remove_older(folder, revision)
    _remove_unfinished(folder.parent)
    return True


def _write(path: Path, row: ProjectFile) -> None:
    path.unlink(missing_ok=True)
    path.write_bytes(bytes(row.content))
    path.chmod(0o444)
    moment = row.updated.timestamp()
    os.utime(path, (moment, moment))


def _put(part: Path, folder: Path) -> None:
    """Another call may have made the same folder meanwhile."""
    try:
        part.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise


def _remove_older(folder: Path, revision: int) -> None:
    older = [one for one in folder.parent.iterdir() if one.name.isdecimal()]
    for one in sorted(older, key=lambda path: int(path.name)):
        if int(one.name) < revision and one.name != _before(older, revision):
            shutil.rmtree(one, ignore_errors=True)


def _remove_unfinished(parent: Path) -> None:
    before = time.time() - _WRITING_S
    for one in parent.glob(f"{_WRITING}*"):
        with suppress(FileNotFoundError):  # another call has ended meanwhile
            if one.stat().st_mtime < before:
                shutil.rmtree(one, ignore_errors=True)


def _before(folders: Iterable[Path], revision: int) -> str:
    """The name of the latest one before this revision."""
    earlier = [int(one.name) for one in folders if int(one.name) < revision]
    return str(max(earlier)) if earlier else ""
