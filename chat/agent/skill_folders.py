"""Where skills lie, and the rows that say what was found there.

    SKILLS_DIR, uploads, bundled ─ scan ─► skills, and what was left out ─ refresh ─► Skill rows

Scanned at the start, when an admin looks at the page or changes something, never for a request.
Only a file that changed is read again. Any number of processes may do it at once.
"""

import os
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from chat.agent import skill_files
from chat.agent.skill_files import FILE, SkillFile
from chat.models import Skill
from db.fields import storable
from limits.chat import MAX_SKILL_FOLDERS

GONE = "Its folder no longer exists."
_FROM_FOLDERS = ("description", "source", "uploaded", "problem")


class Kind(StrEnum):
    """Where a skill comes from."""

    FOLDER = "folder"
    UPLOADED = "uploaded"
    BUNDLED = "bundled"


@dataclass(frozen=True)
class Found:
    """A skill that a folder holds."""

    kind: Kind
    file: SkillFile


@dataclass(frozen=True)
class LeftOut:
    """A folder that cannot count, and why."""

    folder: str
    name: str
    why: str


@dataclass
class Scan:
    """What the folders hold: one skill a name, and what was left out."""

    skills: dict[str, Found] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)


def places() -> list[tuple[Kind, Path]]:
    """In the order in which they count: the operator's own before what was uploaded, and both
    before what ships, so that it can be replaced."""
    own = [(Kind.FOLDER, Path(settings.SKILLS_DIR))] if settings.SKILLS_DIR else []
    return [*own, (Kind.UPLOADED, uploads()), (Kind.BUNDLED, bundled())]


def uploads() -> Path:
    """Where what admins upload is kept."""
    return Path(settings.HOME) / "skills"


def bundled() -> Path:
    """The skills that ship with the program."""
    return Path(__file__).parent / "bundled"


def scan() -> Scan:
    """Looks at the folders. Of several skills with one name the first counts that has no problem,
    else the first, in the order of `places` and then of their paths."""
    found = Scan()
    seen: set[str] = set()
    for kind, root in places():
        if kind == Kind.FOLDER and not root.is_dir():
            found.left_out.append(LeftOut(str(root), root.name, "SKILLS_DIR is no folder."))
            continue
        if not root.exists():
            continue
        search = skill_files.find(root, MAX_SKILL_FOLDERS)
        found.left_out += [_closed(path, why) for path, why in search.closed]
        for folder in search.folders:
            if (real := os.path.realpath(folder)) not in seen:
                seen.add(real)
                _count(found, Found(kind, _read(folder)))
    return found


def refresh() -> Scan:
    """Brings the rows up to date with the folders. What an admin switched off stays off, even while
    its folder is gone; everything else that is gone is forgotten."""
    found = scan()
    with transaction.atomic():
        known = {skill.name: skill for skill in Skill.objects.all()}
        rows = [_row(name, one) for name, one in found.skills.items()]
        # Another process may be making the same ones.
        new = [row for row in rows if row.name not in known]
        Skill.objects.bulk_create(new, ignore_conflicts=True)
        for row in rows:
            _update(known.get(row.name), row)
        gone = Skill.objects.exclude(name__in=found.skills)
        gone.filter(enabled=True).delete()
        gone.exclude(problem=GONE).update(problem=GONE)
    return found


def forget_read() -> None:
    """Has every file read again by the next scan."""
    _read_at.cache_clear()


def kind_of(skill: Skill) -> Kind:
    if skill.uploaded:
        return Kind.UPLOADED
    return Kind.BUNDLED if bundled() in Path(skill.source).parents else Kind.FOLDER


def _closed(path: str, why: str) -> LeftOut:
    return LeftOut(storable(path), storable(Path(path).name), why)


def _count(found: Scan, one: Found) -> None:
    name = one.file.name
    first = found.skills.get(name)
    if first is None:
        found.skills[name] = one
        return
    winner, loser = (one, first) if first.file.problem and not one.file.problem else (first, one)
    found.skills[name] = winner
    folder = storable(str(loser.file.folder))
    why = f"A skill of this name counts before it: {winner.file.folder}."
    found.left_out.append(LeftOut(folder, name, f"{loser.file.problem} {why}".strip()))


def _read(folder: Path) -> SkillFile:
    try:
        about = (folder / FILE).lstat()
    except OSError:
        return skill_files.read(folder)  # which says so
    return _read_at(folder, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=5_000)
def _read_at(folder: Path, changed: int, size: int) -> SkillFile:
    return skill_files.read(folder)


def _row(name: str, one: Found) -> Skill:
    return Skill(
        name=name,
        description=one.file.description,
        source=storable(str(one.file.folder)),
        uploaded=one.kind == Kind.UPLOADED,
        problem=one.file.problem,
    )


def _update(known: Skill | None, row: Skill) -> None:
    """Where there is something new to say of it."""
    changed = {key: getattr(row, key) for key in _FROM_FOLDERS}
    if known and any(getattr(known, key) != value for key, value in changed.items()):
        Skill.objects.filter(pk=known.pk).update(**changed, found=timezone.now())
