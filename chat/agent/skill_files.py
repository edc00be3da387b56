"""Reading a skill's folder: `SKILL.md` with front matter, and files beside it.

The front matter is YAML between two lines `---`. Where it is none (an unquoted colon is the usual
reason), each line is split at its first colon, and that is reported.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import yaml

FILE = "SKILL.md"
MOST_BYTES = 500_000
MOST_FILES = 500
LONGEST_NAME = 64
PARTS = ("scripts", "references", "assets")


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


def find(root: Path) -> list[Path]:
    """The folders below `root` that hold a skill, in order; links are not followed, and a skill
    within a skill is a part of it."""
    found = []
    for parent, folders, files in os.walk(root):
        folders.sort()
        if FILE in files:
            found.append(Path(parent))
            folders.clear()
    return found


def read(folder: Path) -> SkillFile:
    """The skill in this folder. Never raises: what is wrong is its `problem`."""
    try:
        text = _text(folder / FILE)
    except (OSError, ValueError) as error:
        return SkillFile(folder, folder.name[:LONGEST_NAME], problem=f"{FILE}: {error}")
    head, body = _split(text)
    if head is None:
        return SkillFile(folder, folder.name[:LONGEST_NAME], body=body, problem=_NO_HEAD)
    fields, warning = _fields(head)
    name = str(fields.get("name") or folder.name).strip()
    description = " ".join(str(fields.get("description") or "").split())
    return SkillFile(
        folder, name[:LONGEST_NAME], description, body, _problem(name, description), warning
    )


def files(folder: Path) -> list[str]:
    """The files beside `SKILL.md`, relative to the folder; links are left out."""
    found = []
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(parent) / name
            if not path.is_symlink() and path != folder / FILE:
                found.append(str(path.relative_to(folder)))
            if len(found) >= MOST_FILES:
                return found
    return found


_NO_HEAD = f"{FILE} does not begin with front matter between two lines `---`."


def _text(path: Path) -> str:
    with path.open("rb") as file:
        body = file.read(MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        raise ValueError(f"more than {MOST_BYTES:,} bytes")
    return body.decode("utf-8-sig").replace("\r\n", "\n")


def _split(text: str) -> tuple[str | None, str]:
    """The front matter, or None, and the body."""
    lines = text.split("\n")
    if lines[0].strip() != "---":
        return None, text
    for at, line in enumerate(lines[1:], 1):
        if line.strip() == "---":
            return "\n".join(lines[1:at]), "\n".join(lines[at + 1 :]).strip("\n")
    return None, text


def _fields(head: str) -> tuple[dict[str, object], str]:
    try:
        fields = yaml.safe_load(head) or {}
        if isinstance(fields, dict):
            return fields, ""
        why = "it is no mapping"
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        why = " ".join(str(error).split())[:200]
    pairs = (line.partition(":") for line in head.splitlines() if ":" in line)
    simple: dict[str, object] = {key.strip(): value.strip().strip("\"'") for key, _, value in pairs}
    return simple, f"The front matter is not YAML ({why}); its lines were split at the first colon."


def _problem(name: str, description: str) -> str:
    if not name or len(name) > LONGEST_NAME or not name.isprintable() or '"' in name or "<" in name:
        return f"The name {name[:80]!r} cannot be used: 1 to {LONGEST_NAME} plain characters."
    if not description:
        return "It has no description, without which no model can choose it."
    return ""
