"""Reading a skill's folder: `SKILL.md` with front matter, and the files beside it.

The front matter is YAML between two lines `---`. If it is not valid (often for an unquoted colon),
each line is split at its first colon, with a warning. Links are never followed.
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
from languages.stored import stored
from limits.chat import (
    MAX_SKILL_DESCRIPTION,
    MAX_SKILL_FILE_BYTES,
    MAX_SKILL_FILES,
    MAX_SKILL_HEAD,
    MAX_SKILL_HEAD_COLLECTIONS,
    MAX_SKILL_NAME,
)

FILE = "SKILL.md"
# Lists nested in one line.
_NESTED = re.compile(r"(?:[-?:][ \t]+){20}")
# A name is also that of a folder inside the sandbox, and is used in patterns and in quotes.
_NAME = re.compile(r"\w(?:[\w .-]*\w)?")


@dataclass(frozen=True)
class SkillFile:
    """A skill as its folder has it. One with a `problem` cannot be offered; a `warning` is for its
    author."""

    folder: Path
    name: str
    description: str = ""
    body: str = ""
    problem: str = ""
    warning: str = ""


@dataclass(frozen=True)
class Part:
    """A file of a skill: its path relative to the folder, and its size in bytes."""

    path: str
    size: int


@dataclass
class Search:
    """The folders that hold a skill, in order, and the paths that could not be searched, each with
    the reason."""

    folders: list[Path] = field(default_factory=list)
    closed: list[tuple[str, str]] = field(default_factory=list)

    def add_error(self, error: OSError) -> None:
        self.closed.append(
            (str(error.filename), stored("It cannot be read: %(reason)s.", reason=error.strerror))
        )


def find(root: Path, max_folders: int) -> Search:
    """Searches at most so many folders below `root`, without hidden ones. A skill's folder is not
    searched further."""
    search = Search()
    walk = os.walk(root, onerror=search.add_error)
    for parent, folders, files in islice(walk, max_folders):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if FILE in files:
            search.folders.append(Path(parent))
            folders.clear()
    if next(walk, None) is not None:
        reason = stored(
            "Only the first %(most)s folders in it were looked at.", most=f"{max_folders:,}"
        )
        search.closed.append((str(root), reason))
    return search


def read(folder: Path) -> SkillFile:
    """The skill in this folder. Never raises: an error is its `problem`."""
    folder_name = storable(folder.name)[:MAX_SKILL_NAME]
    try:
        _refuse_path(folder)
        head, body = _split(_text(folder / FILE))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return SkillFile(
            folder,
            folder_name,
            problem=stored("%(file)s cannot be read: %(reason)s.", file=FILE, reason=reason),
        )
    if head is None:
        return SkillFile(folder, folder_name, body=body, problem=_NO_HEAD)
    fields, warning = _fields(head)
    name, description = _line(fields, "name") or folder_name, _line(fields, "description")
    problem = _problem(name, description)
    if len(description) > MAX_SKILL_DESCRIPTION:
        warning = f"{warning} {_LONG}".strip()
        description = f"{description[: MAX_SKILL_DESCRIPTION - 1]}…"
    valid_name = name if _is_name(name) else folder_name
    return SkillFile(folder, valid_name, description, body, problem, warning)


def parts(folder: Path) -> list[Part]:
    """The regular files beside `SKILL.md`, in order, at most `MAX_SKILL_FILES`."""
    files: list[Part] = []
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(parent) / name
            size = _size(path)
            if size is not None and path != folder / FILE:
                files.append(Part(str(path.relative_to(folder)), size))
            if len(files) >= MAX_SKILL_FILES:
                return files
    return files


def part_bytes(folder: Path, name: str, max_bytes: int) -> bytes:
    """The first `max_bytes` bytes of a file of the skill. Raises as `open_part` does."""
    with open_part(folder, name) as file:
        return file.read(max_bytes)


def open_part(folder: Path, name: str) -> BinaryIO:
    """A file of the skill. Raises FileNotFoundError if it is not a regular file in this folder, but
    a link or a path that leads out of it."""
    if "\0" in name or name.startswith("/"):
        raise FileNotFoundError(name)
    path = Path(os.path.realpath(folder)) / name
    if Path(os.path.realpath(path)) != path:
        raise FileNotFoundError(name)
    return _open(path)


_NO_HEAD = stored("%(file)s does not begin with front matter between two lines `---`.", file=FILE)
_LONG = stored("The description was cut to %(most)s characters.", most=f"{MAX_SKILL_DESCRIPTION:,}")


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
    """Opens a regular file; a link is refused, also one that has just replaced the file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        reason = stored("it is a link") if error.errno == errno.ELOOP else error.strerror
        raise FileNotFoundError(error.errno, reason) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise FileNotFoundError(0, stored("it is no plain file"))
    return os.fdopen(descriptor, "rb")


def _size(path: Path) -> int | None:
    """The size of a regular file in bytes; None if it is something else, or was just removed."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _split(text: str) -> tuple[str | None, str]:
    """The front matter (None if there is none) and the body."""
    lines = text.split("\n")
    if lines[0].strip() != "---":
        return None, text
    for index, line in enumerate(lines[1:], 1):
        if line.rstrip() == "---":
            return "\n".join(lines[1:index]), "\n".join(lines[index + 1 :]).strip("\n")
    return None, text


def _fields(head: str) -> tuple[dict[object, object], str]:
    """The fields as text, and a warning, "" if the front matter is valid."""
    try:
        # The base loader makes texts only: no dates, no numbers, no objects of tags.
        reason = _too_costly(head)
        fields = None if reason else yaml.load(head, yaml.BaseLoader)
        if isinstance(fields, dict):
            return fields, ""
        reason = reason or stored("it is no mapping")
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = _reason(error)
    simple: dict[object, object] = {}
    for line in head.splitlines():
        key, colon, value = line.partition(":")
        if colon:
            simple.setdefault(key.strip(), value.strip().strip("\"'"))
    warning = stored(
        "The front matter is not YAML (%(reason)s); its lines were split at the first colon.",
        reason=reason,
    )
    return simple, warning


def _too_costly(head: str) -> str:
    """Why the front matter is not parsed; "" if it is. The parser's time is quadratic in the depth:
    35 s for 15,000 levels."""
    if len(head) > MAX_SKILL_HEAD:
        return stored("more than %(most)s letters", most=f"{MAX_SKILL_HEAD:,}")
    if head.count("[") + head.count("{") > MAX_SKILL_HEAD_COLLECTIONS or _NESTED.search(head):
        return stored("it goes too deep")
    return ""


def _reason(error: Exception) -> str:
    """The error in a few words, with the line of the file: the front matter begins in its second
    line."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem and error.problem_mark:
        return stored(
            "%(problem)s in line %(line)s", problem=error.problem, line=error.problem_mark.line + 2
        )
    return " ".join(str(error).split())[:200] or stored("it goes too deep")


def _line(fields: dict[object, object], key: str) -> str:
    """A field as one line; "" if it is missing or not a text."""
    value = fields.get(key)
    return storable(" ".join(value.split())) if isinstance(value, str) else ""


def _is_name(name: str) -> bool:
    return len(name) <= MAX_SKILL_NAME and _NAME.fullmatch(name) is not None


def _problem(name: str, description: str) -> str:
    if not _is_name(name):
        return stored(
            "The name “%(name)s” cannot be used: 1 to %(most)s letters, digits, spaces, "
            "and . _ - between them.",
            name=name[:80],
            most=MAX_SKILL_NAME,
        )
    if not description:
        return stored("No description. A model needs one to choose it.")
    return ""
