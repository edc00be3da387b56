"""Listings of folders for the panel: the workspace, and the folders that are open in it."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from django.utils.translation import gettext

from chat.files.names import quoted
from limits.files import MAX_FOLDER_ROWS, MAX_LISTED_DEPTH, MAX_LISTED_ROWS, MAX_OPEN_FOLDERS
from tools.errors import ToolError
from tools.workspace import tree
from tools.workspace.paths import shown
from tools.workspace.tree import Entry
from tracing.formatting.text import visible, with_full_stop

# Rows of a folder that are shown at first, and at most.
PAGE = 100
_IMAGES = {".png", ".jpg", ".jpeg", ".gif", ".webp"}


@dataclass(frozen=True)
class Row:
    """An entry of a folder. `path` and `target` are display text, `address` is the path in an
    address, `signature` changes with the file."""

    key: str
    name: str
    path: str
    address: str
    entry: Entry
    folder: "Folder | None" = None

    @property
    def target(self) -> str:
        return visible(shown(self.entry.target))

    @property
    def icon(self) -> str:
        if self.entry.kind == "folder":
            return "folder"
        if self.entry.kind == "link":
            return "external"
        ending = PurePosixPath(self.entry.name).suffix.lower()
        return "image" if ending in _IMAGES else "file"

    @property
    def signature(self) -> str:
        if self.entry.kind == "folder":
            return ""
        return f"{self.entry.size}-{self.entry.modified.timestamp():.6f}"


@dataclass(frozen=True)
class Folder:
    """`next` is the number of rows to request for seeing more, 0 if there are no more or too many;
    `problem` is the reason why the folder cannot be listed."""

    address: str
    rows: Sequence[Row] = ()
    more: bool = False
    next: int = 0
    problem: str = ""


def folders(workspace: Path, opened: Mapping[str, int]) -> Folder:
    """The workspace with its open folders. `opened`: rows to show by path."""
    rows_by_path = dict(list(opened.items())[:MAX_OPEN_FOLDERS])
    return _folder(workspace, "", {"": PAGE, **rows_by_path}, 0)


def read_opened(values: Sequence[str]) -> dict[str, int]:
    """Rows by path, from texts like `100:path`; others are ignored."""
    rows_by_path: dict[str, int] = {}
    room = MAX_LISTED_ROWS
    for value in values[:MAX_OPEN_FOLDERS]:
        count, colon, path = value.partition(":")
        if colon and count.isdecimal() and len(count) < 6:
            rows_by_path[path] = max(PAGE, min(MAX_FOLDER_ROWS, int(count), room))
            room -= rows_by_path[path]
    return rows_by_path


def _folder(workspace: Path, path: str, opened: Mapping[str, int], depth: int) -> Folder:
    most = opened[path]
    try:
        entries = tree.listing(workspace, path, most + 1)
    except ToolError as error:
        return Folder(
            quoted(path),
            problem=gettext("This folder cannot be shown: %(error)s")
            % {"error": with_full_stop(str(error))},
        )
    rows = [_row(workspace, entry, opened, depth) for entry in entries[:most]]
    more = len(entries) > most
    following = min(MAX_FOLDER_ROWS, most + PAGE) if more and most < MAX_FOLDER_ROWS else 0
    return Folder(quoted(path), rows, more=more, next=following)


def _row(workspace: Path, entry: Entry, opened: Mapping[str, int], depth: int) -> Row:
    is_open = entry.kind == "folder" and entry.path in opened and depth < MAX_LISTED_DEPTH
    key = hashlib.sha256(os.fsencode(entry.path)).hexdigest()[:20]
    return Row(
        key,
        visible(shown(entry.name)),
        visible(shown(entry.path)),
        quoted(entry.path),
        entry,
        _folder(workspace, entry.path, opened, depth + 1) if is_open else None,
    )
