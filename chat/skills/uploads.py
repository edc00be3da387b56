"""Keeping what an admin uploads: written beside, looked at, moved; and removed the same way.

No process ever sees half a skill: what is being written or removed lies in a hidden folder, which
no scan looks at.
"""

import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path, PurePosixPath

from django.contrib.auth.models import User
from django.utils.translation import gettext

from chat import storage
from chat.agent import skill_files, skill_folders
from chat.agent.skill_files import SkillFile
from chat.errors import Rejected
from chat.models import Skill
from chat.skills.archives import Bundle

# Hidden, as scans need it.
WRITING = ".writing-"
REMOVING = ".removing-"
_REST_SECONDS = 3_600


def add(bundle: Bundle, fallback: str, uploader: User) -> SkillFile:
    """Keeps a skill; `fallback` is its folder's name if it came without one. Raises `Rejected`, and
    then nothing is kept."""
    size = sum(len(entry.content) for entry in bundle.entries)
    storage.check_upload(uploader.pk, size)
    uploads = skill_folders.uploads()
    uploads.mkdir(parents=True, exist_ok=True)
    _clear_rests(uploads)
    with tempfile.TemporaryDirectory(dir=uploads, prefix=WRITING) as place:
        folder = Path(place) / (bundle.folder or fallback or "skill")
        try:
            _write(bundle, folder)
            read = skill_files.read(folder)
            _refuse(read)
            folder.rename(uploads / read.name)
        except OSError as error:
            raise Rejected(
                gettext("It could not be kept: %(reason)s.") % {"reason": error.strerror}
            ) from None
    skill_folders.refresh()
    Skill.objects.filter(name=read.name).update(uploader=uploader, size=size)
    return read


def remove(skill: Skill) -> None:
    """Removes an uploaded skill and its folder. Raises `Rejected` for any other."""
    uploads, folder = skill_folders.uploads(), Path(skill.source)
    if not skill.uploaded or uploads not in folder.parents:
        raise Rejected(gettext("Only uploaded skills can be removed. Switch it off instead."))
    with tempfile.TemporaryDirectory(dir=uploads, prefix=REMOVING) as place:
        if folder.is_dir():
            folder.rename(Path(place) / "skill")
    Skill.objects.filter(pk=skill.pk).delete()
    skill_folders.refresh()


def _clear_rests(uploads: Path) -> None:
    """Removes what a process left behind that ended in the middle, an hour ago."""
    for prefix in (WRITING, REMOVING):
        for rest in uploads.glob(f"{prefix}*"):
            with suppress(FileNotFoundError):
                if time.time() - rest.stat().st_mtime > _REST_SECONDS:
                    shutil.rmtree(rest, ignore_errors=True)


def _refuse(read: SkillFile) -> None:
    if read.problem:
        raise Rejected(gettext("This skill is invalid. %(problem)s") % {"problem": read.problem})
    found = skill_folders.refresh().skills.get(read.name)
    if found is not None or (skill_folders.uploads() / read.name).exists():
        where = f" ({found.kind})" if found else ""
        raise Rejected(
            gettext(
                "There is a skill “%(name)s” already%(where)s. Remove that one, or give this "
                "one another name in its front matter."
            )
            % {"name": read.name, "where": where}
        )


def _write(bundle: Bundle, folder: Path) -> None:
    """Readable for the sandbox, whose user is another; scripts can be run. The home around it is
    its owner's only."""
    folder.mkdir()
    for entry in bundle.entries:
        path = folder / entry.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(entry.content)
        path.chmod(0o755 if entry.executable or _is_script(entry.path) else 0o644)
    for place, _, _ in os.walk(folder):
        Path(place).chmod(0o755)


def _is_script(path: PurePosixPath) -> bool:
    return path.parts[0] == "scripts"
