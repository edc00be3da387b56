"""The folders of skills, and the rows of the skills in them.

    SKILLS_DIR, uploads, bundled ─ scan ─► skills, and folders that are left out ─ refresh ─► rows

The folders are scanned at the start of the program, and when an admin opens the page of skills or
changes something, never for a turn. Only files that changed are read again. Any number of processes
may scan at the same time.
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
from languages.stored import stored
from limits.chat import MAX_SKILL_FOLDERS

GONE = stored("Its folder no longer exists.")
_FROM_FOLDERS = ("description", "source", "uploaded", "problem")


class Kind(StrEnum):
    """Where a skill comes from."""

    FOLDER = "folder"
    UPLOADED = "uploaded"
    BUNDLED = "bundled"


@dataclass(frozen=True)
class FoundSkill:
    """A skill and where it comes from."""

    kind: Kind
    file: SkillFile


@dataclass(frozen=True)
class LeftOut:
    """A folder whose skill is not used, and why."""

    folder: str
    name: str
    why: str


@dataclass
class Scan:
    """The skills by name, and the folders that are left out."""

    skills: dict[str, FoundSkill] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)


def places() -> list[tuple[Kind, Path]]:
    """The folders by precedence: the operator's, uploads, bundled ones. So a bundled skill can be
    replaced."""
    operator = [(Kind.FOLDER, Path(settings.SKILLS_DIR))] if settings.SKILLS_DIR else []
    return [*operator, (Kind.UPLOADED, uploads()), (Kind.BUNDLED, bundled())]


def uploads() -> Path:
    """The folder of the skills that admins upload."""
    return Path(settings.HOME) / "skills"


def bundled() -> Path:
    """The skills that ship with the program."""
    return Path(__file__).parent / "bundled"


def scan() -> Scan:
    """Reads the folders. Of several skills with one name the first one without a problem is used,
    else the first one, in the order of `places` and then of their paths."""
    result = Scan()
    seen: set[str] = set()
    for kind, root in places():
        if kind == Kind.FOLDER and not root.is_dir():
            result.left_out.append(
                LeftOut(str(root), root.name, stored("SKILLS_DIR is no folder."))
            )
            continue
        if not root.exists():
            continue
        search = skill_files.find(root, MAX_SKILL_FOLDERS)
        result.left_out += [_closed(path, why) for path, why in search.closed]
        for folder in search.folders:
            if (real := os.path.realpath(folder)) not in seen:
                seen.add(real)
                _add(result, FoundSkill(kind, _read(folder)))
    return result


def refresh() -> Scan:
    """Updates the rows from the folders. A skill that an admin switched off keeps its row even
    while its folder is missing; other rows without a folder are deleted."""
    result = scan()
    with transaction.atomic():
        stored = {skill.name: skill for skill in Skill.objects.all()}
        rows = [_row(name, skill) for name, skill in result.skills.items()]
        # Another process may insert the same rows.
        new = [row for row in rows if row.name not in stored]
        Skill.objects.bulk_create(new, ignore_conflicts=True)
        for row in rows:
            _update(stored.get(row.name), row)
        missing = Skill.objects.exclude(name__in=result.skills)
        missing.filter(enabled=True).delete()
        missing.exclude(problem=GONE).update(problem=GONE)
    return result


def forget_read() -> None:
    """Makes the next scan read every file again."""
    _read_at.cache_clear()


def kind_of(skill: Skill) -> Kind:
    if skill.uploaded:
        return Kind.UPLOADED
    return Kind.BUNDLED if bundled() in Path(skill.source).parents else Kind.FOLDER


def _closed(path: str, why: str) -> LeftOut:
    return LeftOut(storable(path), storable(Path(path).name), why)


def _add(result: Scan, skill: FoundSkill) -> None:
    name = skill.file.name
    first = result.skills.get(name)
    if first is None:
        result.skills[name] = skill
        return
    replaces = first.file.problem and not skill.file.problem
    winner, loser = (skill, first) if replaces else (first, skill)
    result.skills[name] = winner
    folder = storable(str(loser.file.folder))
    why = stored("A skill of this name counts before it: %(folder)s.", folder=winner.file.folder)
    result.left_out.append(LeftOut(folder, name, f"{loser.file.problem} {why}".strip()))


def _read(folder: Path) -> SkillFile:
    try:
        status = (folder / FILE).lstat()
    except OSError:
        return skill_files.read(folder)  # with the error as its problem
    return _read_at(folder, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=5_000)
def _read_at(folder: Path, changed: int, size: int) -> SkillFile:
    return skill_files.read(folder)


def _row(name: str, skill: FoundSkill) -> Skill:
    return Skill(
        name=name,
        description=skill.file.description,
        source=storable(str(skill.file.folder)),
        uploaded=skill.kind == Kind.UPLOADED,
        problem=skill.file.problem,
    )


def _update(stored: Skill | None, row: Skill) -> None:
    """Writes the columns that come from the folder, if any of them changed."""
    columns = {key: getattr(row, key) for key in _FROM_FOLDERS}
    if stored and any(getattr(stored, key) != value for key, value in columns.items()):
        Skill.objects.filter(pk=stored.pk).update(**columns, found=timezone.now())
