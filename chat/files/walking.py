"""All that lies in a workspace: how many files, how many bytes."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tools.errors import ToolError
from tools.workspace import tree
from tools.workspace.tree import Entry


@dataclass(frozen=True)
class Total:
    """Of a workspace; `is_whole` is False if there is more than was looked at."""

    files: int = 0
    bytes: int = 0
    is_whole: bool = True

    @property
    def words(self) -> str:
        """The number of files, as a badge has it."""
        return f"{self.files:,}" if self.is_whole else f"{self.files:,}+"


def walk(workspace: Path, folder: str = "", most: int = 1_000) -> Iterator[Entry]:
    """Files, links and folders, to any depth that names reach, folder by folder; at most `most`,
    and one more to say that there are more. What cannot be listed counts as empty."""
    waiting, seen = [folder], 0
    while waiting:
        for entry in _entries(workspace, waiting.pop(), most + 1 - seen):
            yield entry
            seen += 1
            if seen > most:
                return
            if entry.kind == "folder":
                waiting.append(entry.path)


def total(workspace: Path, most: int) -> Total:
    """Looks at `most` files and folders."""
    files = size = seen = 0
    for entry in walk(workspace, most=most):
        seen += 1
        if seen <= most and entry.kind != "folder":
            files += 1
            size += entry.size if entry.kind == "file" else 0
    return Total(files, size, is_whole=seen <= most)


def _entries(workspace: Path, folder: str, most: int) -> list[Entry]:
    with suppress(ToolError):
        return tree.listing(workspace, folder, most)
    return []
