"""Copying a workspace for a fork. A running command may replace a file by a link at any moment, so
every file is opened as the tools open it, and links are left out."""

import os
import stat
from pathlib import Path

from chat.files.downloads import pieces
from chat.files.walking import walk
from tools.errors import ToolError
from tools.workspace import tree
from tools.workspace.tree import Entry


def copy(source: Path, target: Path, most_files: int, most_bytes: int) -> bool:
    """Copies files and folders into a new workspace. False, without copying, if they exceed the
    limits. Files that disappear meanwhile are left out. Raises OSError, `ToolError`."""
    entries = list(walk(source, most=most_files))
    files = [entry for entry in entries if entry.kind == "file"]
    if len(entries) > most_files or sum(entry.size for entry in files) > most_bytes:
        return False
    for entry in entries:
        if entry.kind == "folder":
            tree.make_folder(target, entry.path)
    for entry in files:
        _copy_file(source, target, entry)
    return True


def _copy_file(source: Path, target: Path, entry: Entry) -> None:
    try:
        file = tree.open_read(source, entry.path)
    except ToolError:
        return
    with file:
        mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o777
        tree.write_bytes(target, entry.path, pieces(file, entry.size))
    path = target / entry.path
    path.chmod(mode | 0o600)
    os.utime(path, (entry.modified.timestamp(), entry.modified.timestamp()))
