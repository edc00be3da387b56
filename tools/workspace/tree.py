"""The files of a workspace, for whoever lists, reads, writes or removes them: tools and pages.

Every name is relative to the workspace, or begins with what commands see it as (`inside`), and
never leads out of it (`paths`). What is no file or
folder (a device, a pipe that would wait for somebody) is listed, and never opened.
"""

import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Literal

from limits.sandbox import MAX_TREE_FILES, MAX_WRITTEN_BYTES
from tools.errors import NotThere, ToolError
from tools.workspace.paths import INSIDE, NOTHING_LENT, Lent, Place, adopt, place, shown
from tools.workspace.removal import remove_tree

Kind = Literal["folder", "file", "link", "other"]


@dataclass(frozen=True)
class Entry:
    """What lies in a folder. `path` is from the workspace on; names may have any bytes but `/` and
    NUL (`paths.shown` makes a line of text of them). `target` is where a link points."""

    name: str
    path: str
    kind: Kind
    size: int
    modified: datetime
    target: str = ""


def listing(
    workspace: Path,
    folder: str = "",
    most: int = MAX_TREE_FILES,
    inside: str = INSIDE,
    lent: Lent = NOTHING_LENT,
) -> list[Entry]:
    """What lies in a folder, folders first, by name; at most `most` of it. A workspace that nobody
    wrote to is empty. Raises `NotThere`, and `ToolError` if it is no folder or outside."""
    if folder in ("", ".", inside) and not workspace.exists():
        return []
    where = place(workspace, folder, inside=inside, lent=lent)
    with where as found, _opened_folder(found) as opened:
        there = entries(opened, found.path, most)
        return there if found.path or not lent else _with_lent(there, lent)


def _with_lent(there: list[Entry], lent: Lent) -> list[Entry]:
    """The top of a workspace with the folders that are lent to it."""
    own = [entry for entry in there if entry.name not in lent]
    folders = [_of(path.stat(), name, name, "") for name, path in lent.items()]
    return [*folders, *own]


def entries(folder: int, path: str, most: int = MAX_TREE_FILES) -> list[Entry]:
    """The same of an open folder, which is called `path`."""
    with os.scandir(folder) as scanned:
        names = [(not one.is_dir(follow_symlinks=False), one.name) for one in scanned]
    found = (_entry(folder, path, name) for _, name in sorted(names)[:most])
    return [entry for entry in found if entry is not None]


def stat_of(workspace: Path, name: str) -> Entry:
    """The one entry, links followed. Raises `NotThere`, `ToolError`."""
    with place(workspace, name) as found:
        status = found.stat()
        if status is None:
            raise NotThere(f"there is no file {shown(name)}")
        return _of(status, found.path.rpartition("/")[2], found.path, "")


def open_read(
    workspace: Path, name: str, inside: str = INSIDE, lent: Lent = NOTHING_LENT
) -> BinaryIO:
    """An open file, links followed. Raises `NotThere`, and `ToolError` if it is no file."""
    with place(workspace, name, inside=inside, lent=lent) as found, _told(name, "read"):
        if not found.name:
            raise ToolError(f"{shown(name)} is a folder")
        # Not blocking: a pipe waits for whoever writes.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
        status = found.stat()
        if status is not None and not stat.S_ISREG(status.st_mode):
            raise ToolError(f"{shown(name)} is no file")
        opened = os.open(found.name, flags, dir_fd=found.folder)
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            os.close(opened)
            raise ToolError(f"{shown(name)} is no file")
        return os.fdopen(opened, "rb")


def write_bytes(
    workspace: Path,
    name: str,
    chunks: Iterable[bytes],
    most: int = MAX_WRITTEN_BYTES,
    lent: Lent = NOTHING_LENT,
) -> Entry:
    """Writes a file anew, missing folders made. It is written beside itself and then moved, so that
    nobody sees half of it. Raises `ToolError`, also beyond `most` bytes, and in a folder that is
    lent; then nothing is changed.
    """
    with place(workspace, name, make=True, lent=lent) as found, _told(name, "written"):
        before = found.stat()
        if not found.name:
            raise ToolError(f"{shown(name)} is a folder")
        if before is not None and not stat.S_ISREG(before.st_mode):
            raise ToolError(f"{shown(name)} is no file")
        mode = stat.S_IMODE(before.st_mode) & 0o777 if before else 0o644
        _write(found, chunks, mode, most)
        made = _entry(found.folder, found.path.rpartition("/")[0], found.name)
    if made is None:
        raise NotThere(f"{shown(name)} was removed as soon as it was written")
    return made


def make_folder(workspace: Path, name: str) -> None:
    """Makes a folder and those around it; one that is there is left. Raises `ToolError`."""
    with place(workspace, f"{name}/.", make=True) as found:
        if found.name:
            raise ToolError(f"{shown(name)} is no folder")


def remove(workspace: Path, name: str) -> None:
    """Removes a file, a link (not what it leads to) or a folder with all that is in it. Raises
    `NotThere`, and `ToolError` for the workspace itself."""
    folder, slash, last = name.rstrip("/").rpartition("/")
    if last in ("", ".", ".."):
        raise ToolError("the workspace itself, “.” and “..” cannot be removed")
    around = place(workspace, folder or slash)
    with around as found, _opened_folder(found) as opened, _told(name, "removed"):
        status = os.stat(last, dir_fd=opened, follow_symlinks=False)
        if stat.S_ISDIR(status.st_mode):
            remove_tree(opened, last)
        else:
            os.unlink(last, dir_fd=opened)


@contextmanager
def _opened_folder(found: Place) -> Iterator[int]:
    """The folder itself, to list it. Raises `NotThere`, `ToolError`."""
    name = found.path or "the workspace"
    if found.name:
        if found.stat() is None:
            raise NotThere(f"there is no folder {shown(name)}")
        raise ToolError(f"{shown(name)} is no folder")
    with _told(name, "listed"):
        opened = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=found.folder)
    try:
        yield opened
    finally:
        os.close(opened)


def _entry(folder: int, path: str, name: str) -> Entry | None:
    """None if it is gone meanwhile."""
    with suppress(FileNotFoundError):
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        target = ""
        if stat.S_ISLNK(status.st_mode):
            with suppress(OSError):
                target = os.readlink(name, dir_fd=folder)
        return _of(status, name, f"{path}/{name}" if path else name, target)
    return None


def _of(status: os.stat_result, name: str, path: str, target: str) -> Entry:
    modified = datetime.fromtimestamp(max(0, min(status.st_mtime, 253_402_300_799)), UTC)
    return Entry(name, path, _kind(status.st_mode), status.st_size, modified, target)


def _kind(mode: int) -> Kind:
    if stat.S_ISDIR(mode):
        return "folder"
    if stat.S_ISLNK(mode):
        return "link"
    return "file" if stat.S_ISREG(mode) else "other"


def _write(found: Place, chunks: Iterable[bytes], mode: int, most: int) -> None:
    temporary = f".writing-{secrets.token_hex(8)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    opened = os.open(temporary, flags, 0o600, dir_fd=found.folder)
    try:
        with os.fdopen(opened, "wb") as file:
            for chunk in chunks:
                file.write(chunk)
                if file.tell() > most:
                    raise ToolError(f"a file has at most {most:,} bytes")
            os.fchmod(file.fileno(), mode)
        adopt(found.folder, temporary)
        os.replace(temporary, found.name, src_dir_fd=found.folder, dst_dir_fd=found.folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=found.folder)
        raise


@contextmanager
def _told(name: str, done: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise NotThere(f"there is no {shown(name)}") from None
    except OSError as error:
        raise ToolError(f"{shown(name)} cannot be {done}: {error.strerror}") from None
