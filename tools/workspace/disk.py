"""What lies in a workspace: how much, how many, how deep."""

import os
import stat
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from limits.sandbox import MAX_PATH_DEPTH
from tools.workspace.paths import open_folder


@dataclass
class Disk:
    """Bytes on the disk, and names; `is_whole` is False if there was more than was counted. It took
    `seconds` to count."""

    bytes: int = 0
    files: int = 0
    too_deep: bool = False
    is_whole: bool = True
    seconds: float = 0.0


def measure(workspace: Path, most_files: int, owner: int | None = None) -> Disk:
    """Counts what is there, no link followed. What belongs to somebody else is given to `owner`.
    Raises FileNotFoundError if the workspace is gone."""
    found, began = Disk(), time.monotonic()
    root = _opened(workspace)
    try:
        if owner is not None and os.fstat(root).st_uid != owner:
            os.fchown(root, owner, owner)
        _count(root, 1, found, most_files, owner)
    finally:
        os.close(root)
    found.seconds = time.monotonic() - began
    return found


def _opened(workspace: Path) -> int:
    above = os.open(workspace.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return open_folder(above, workspace.name)
    finally:
        os.close(above)


def _count(folder: int, depth: int, found: Disk, most_files: int, owner: int | None) -> None:
    inner: list[str] = []
    with os.scandir(folder) as scanned:
        for one in scanned:
            found.files += 1
            if found.files > most_files:
                found.is_whole = False
                return
            try:
                status = one.stat(follow_symlinks=False)
                if owner is not None and status.st_uid != owner:
                    os.chown(one.name, owner, owner, dir_fd=folder, follow_symlinks=False)
            except OSError:
                continue  # gone meanwhile
            found.bytes += status.st_blocks * 512 // (status.st_nlink or 1)
            if stat.S_ISDIR(status.st_mode):
                inner.append(one.name)
    for name in inner:
        with suppress(OSError):
            _count_inner(folder, name, depth, found, most_files, owner)


def _count_inner(
    above: int, name: str, depth: int, found: Disk, most_files: int, owner: int | None
) -> None:
    if depth >= MAX_PATH_DEPTH:
        found.too_deep, found.is_whole = True, False
        return
    inner = open_folder(above, name)
    try:
        _count(inner, depth + 1, found, most_files, owner)
    finally:
        os.close(inner)
