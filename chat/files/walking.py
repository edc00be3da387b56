"""Walking through a workspace: its entries, their number and bytes."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from limits.sandbox import MAX_PATH_DEPTH
from tools.errors import ToolError
from tools.workspace import tree
from tools.workspace.paths import open_folder
from tools.workspace.tree import Entry


@dataclass(frozen=True)
class Total:
    """Files and bytes of a workspace; `is_whole` is False if the walk was ended by its limit."""

    files: int = 0
    bytes: int = 0
    is_whole: bool = True

    @property
    def words(self) -> str:
        """The number of files for a badge."""
        return f"{self.files:,}" if self.is_whole else f"{self.files:,}+"


def walk(workspace: Path, folder: str = "", most: int = 1_000) -> Iterator[Entry]:
    """Files, links and folders of all levels, folder by folder; at most `most`, and one more if
    there are more. Folders that cannot be listed count as empty."""
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
    """Counts at most `most` files and folders, without following links. Quick, because every page
    of a conversation calls it: nothing is sorted."""
    counting = _Counting(most)
    with suppress(OSError):
        root = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            counting.count(root, 1)
        finally:
            os.close(root)
    return Total(counting.files, counting.bytes, counting.is_whole)


@dataclass
class _Counting:
    most: int
    seen: int = 0
    files: int = 0
    bytes: int = 0
    is_whole: bool = True

    def count(self, folder: int, depth: int) -> None:
        with os.scandir(folder) as scanned:
            for one in scanned:
                self.seen += 1
                if self.seen > self.most:
                    self.is_whole = False
                    return
                with suppress(OSError, ToolError):  # removed meanwhile, or not readable
                    self._count(folder, one, depth)

    def _count(self, folder: int, one: os.DirEntry[str], depth: int) -> None:
        if not one.is_dir(follow_symlinks=False):
            self.files += 1
            if not one.is_symlink():
                self.bytes += one.stat(follow_symlinks=False).st_size
        elif depth >= MAX_PATH_DEPTH:
            self.is_whole = False
        else:
            inner = open_folder(folder, one.name)
            try:
                self.count(inner, depth + 1)
            finally:
                os.close(inner)


def _entries(workspace: Path, folder: str, most: int) -> list[Entry]:
    with suppress(ToolError):
        return tree.listing(workspace, folder, most)
    return []
