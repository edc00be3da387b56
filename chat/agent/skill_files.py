"""Reading a skill's folder: `SKILL.md` with front matter, and the files beside it.

The front matter is YAML between two lines `---`. Where it is none (an unquoted colon is the usual
reason), each line is split at its first colon, and that is reported. Links are never followed.
"""

import errno
import os
import re
import stat
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import yaml

from db.fields import storable
from limits.chat import (
    MAX_SKILL_DESCRIPTION,
    MAX_SKILL_FILE_BYTES,
    MAX_SKILL_FILES,
    MAX_SKILL_HEAD,
    MAX_SKILL_HEAD_COLLECTIONS,
    MAX_SKILL_NAME,
)

FILE = "SKILL.md"
# Lists within lists in one line.
_NESTED = re.compile(r"(?:[-?:][ \t]+){20}")
# A name is a folder's inside the sandbox, and stands in patterns and in quotes.
_NAME = re.compile(r"\w(?:[\w .-]*\w)?")


@dataclass(frozen=True)
class SkillFile:
    """What a folder says of its skill. With a `problem` it cannot be offered; a `warning` is for
    whoever wrote it."""

    folder: Path
    name: str
    description: str = ""
    body: str = ""
    problem: str = ""
    warning: str = ""


@dataclass(frozen=True)
class Part:
    """A file of a skill: its path relative to the folder, and its bytes' number."""

    path: str
    size: int


@dataclass
class Search:
    """The folders that hold a skill, in order, and what could not be looked at, with the reason."""

    folders: list[Path] = field(default_factory=list)
    closed: list[tuple[str, str]] = field(default_factory=list)

    def refused(self, error: OSError) -> None:
        self.closed.append((str(error.filename), f"It cannot be read: {error.strerror}."))


def find(root: Path, most: int) -> Search:
    """Searches below `root`; a skill within a skill is a part of it, and what is hidden is left
    alone. At most so many folders are looked at."""
    found = Search()
    walk = os.walk(root, onerror=found.refused)
    for parent, folders, files in islice(walk, most):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if FILE in files:
            found.folders.append(Path(parent))
            folders.clear()
    if next(walk, None) is not None:
        found.closed.append((str(root), f"Only the first {most:,} folders in it were looked at."))
    return found


def read(folder: Path) -> SkillFile:
    """The skill in this folder. Never raises: what is wrong is its `problem`."""
    own_name = storable(folder.name)[:MAX_SKILL_NAME]
    try:
        _refuse_path(folder)
        head, body = _split(_text(folder / FILE))
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else str(error)
        return SkillFile(folder, own_name, problem=f"{FILE} cannot be read: {said}.")
    if head is None:
        return SkillFile(folder, own_name, body=body, problem=_NO_HEAD)
    fields, warning = _fields(head)
    name, description = _line(fields, "name") or own_name, _line(fields, "description")
    problem = _problem(name, description)
    if len(description) > MAX_SKILL_DESCRIPTION:
        warning = f"{warning} {_LONG}".strip()
        description = f"{description[: MAX_SKILL_DESCRIPTION - 1]}…"
    usable = name if _is_name(name) else own_name
    return SkillFile(folder, usable, description, body, problem, warning)


def parts(folder: Path) -> list[Part]:
    """The files beside `SKILL.md`, in order, at most `MAX_SKILL_FILES`; what is no plain file is
    left out."""
    found: list[Part] = []
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(parent) / name
            size = _size(path)
            if size is not None and path != folder / FILE:
                found.append(Part(str(path.relative_to(folder)), size))
            if len(found) >= MAX_SKILL_FILES:
                return found
    return found


def part_bytes(folder: Path, name: str, most: int) -> bytes:
    """The first `most` bytes of a file of the skill. Raises as `open_part` does."""
    with open_part(folder, name) as file:
        return file.read(most)


def open_part(folder: Path, name: str) -> BinaryIO:
    """A file of the skill. Raises FileNotFoundError for whatever is no plain file in this folder: a
    link, a way out of it."""
    if "\0" in name or name.startswith("/"):
        raise FileNotFoundError(name)
    whole = Path(os.path.realpath(folder)) / name
    if Path(os.path.realpath(whole)) != whole:
        raise FileNotFoundError(name)
    return _open(whole)


_NO_HEAD = f"{FILE} does not begin with front matter between two lines `---`."
_LONG = f"The description was cut to {MAX_SKILL_DESCRIPTION:,} characters."


def _refuse_path(folder: Path) -> None:
    if storable(str(folder)) != str(folder):
        raise ValueError("the folder's path is not UTF-8")


def _text(path: Path) -> str:
    with _open(path) as file:
        body = file.read(MAX_SKILL_FILE_BYTES + 1)
    if len(body) > MAX_SKILL_FILE_BYTES:
        raise ValueError(f"it has more than {MAX_SKILL_FILE_BYTES:,} bytes")
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("it is no text in UTF-8") from None
    return text.replace("\r\n", "\n")


def _open(path: Path) -> BinaryIO:
    """A plain file; a link that came to stand in its place is refused."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        said = "it is a link" if error.errno == errno.ELOOP else error.strerror
        raise FileNotFoundError(error.errno, said) from None
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise FileNotFoundError(0, "it is no plain file")
    return os.fdopen(opened, "rb")


def _size(path: Path) -> int | None:
    """The bytes of a plain file; None of anything else, and of what has just gone."""
    try:
        about = path.lstat()
    except OSError:
        return None
    return about.st_size if stat.S_ISREG(about.st_mode) else None


def _split(text: str) -> tuple[str | None, str]:
    """The front matter, or None, and the body."""
    lines = text.split("\n")
    if lines[0].strip() != "---":
        return None, text
    for at, line in enumerate(lines[1:], 1):
        if line.rstrip() == "---":
            return "\n".join(lines[1:at]), "\n".join(lines[at + 1 :]).strip("\n")
    return None, text


def _fields(head: str) -> tuple[dict[object, object], str]:
    """The fields, as text, and what was wrong with them."""
    try:
        # Texts alone: no dates, no numbers, and nothing that a tag could make.
        why = _too_costly(head)
        fields = None if why else yaml.load(head, yaml.BaseLoader)
        if isinstance(fields, dict):
            return fields, ""
        why = why or "it is no mapping"
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        why = _why(error)
    simple: dict[object, object] = {}
    for line in head.splitlines():
        key, colon, value = line.partition(":")
        if colon:
            simple.setdefault(key.strip(), value.strip().strip("\"'"))
    return simple, f"The front matter is not YAML ({why}); its lines were split at the first colon."


def _too_costly(head: str) -> str:
    """Why it is not parsed: the parser takes the square of the depth, 35 s for 15,000 levels."""
    if len(head) > MAX_SKILL_HEAD:
        return f"more than {MAX_SKILL_HEAD:,} letters"
    if head.count("[") + head.count("{") > MAX_SKILL_HEAD_COLLECTIONS or _NESTED.search(head):
        return "it goes too deep"
    return ""


def _why(error: Exception) -> str:
    """In a few words, with the line of the file: the front matter begins with its second."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem and error.problem_mark:
        return f"{error.problem} in line {error.problem_mark.line + 2}"
    return " ".join(str(error).split())[:200] or "it goes too deep"


def _line(fields: dict[object, object], key: str) -> str:
    """A field as one line; what is no text counts as none."""
    value = fields.get(key)
    return storable(" ".join(value.split())) if isinstance(value, str) else ""


def _is_name(name: str) -> bool:
    return len(name) <= MAX_SKILL_NAME and _NAME.fullmatch(name) is not None


def _problem(name: str, description: str) -> str:
    if not _is_name(name):
        return (
            f"The name “{name[:80]}” cannot be used: 1 to {MAX_SKILL_NAME} letters, digits, "
            "spaces, and . _ - between them."
        )
    if not description:
        return "No description. A model needs one to choose it."
    return ""
