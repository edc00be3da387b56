"""Making files, folders and links as a manifest describes them. Names are followed as the tools
follow them (`paths`), so that a command that runs meanwhile leads nothing outside."""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from limits.placement import MAX_STORED_BYTES
from tools.errors import NotThere, ToolError
from tools.workspace import tree
from tools.workspace.manifests import FOLDER, LINK, Item
from tools.workspace.paths import adopt, place


def restore(root: Path, path: str, item: Item, pieces: Iterable[bytes] = ()) -> None:
    """Makes what the item describes at this path, in place of what is there. `pieces` are the bytes
    of a file. Raises `ToolError`, and what `pieces` raise; then a file is as it was."""
    if item.kind == FOLDER:
        _make_room(root, path, item)
        tree.make_folder(root, path)
    elif item.kind == LINK:
        _make_room(root, path, item)
        _link(root, path, item.content)
    else:
        _make_room(root, path, item)
        tree.write_bytes(root, path, pieces, MAX_STORED_BYTES)
        _describe(root, path, item)


def restore_hole(root: Path, path: str, item: Item) -> None:
    """A file of the item's size and time that has no content yet."""
    restore(root, path, item)
    with place(root, path, follow=False) as found:
        flags = os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
        opened = os.open(found.name, flags, dir_fd=found.folder)
        try:
            os.ftruncate(opened, item.size)
        finally:
            os.close(opened)
    _describe(root, path, item)


def remove(root: Path, path: str) -> None:
    """Removes what is at this path, if anything is. Raises `ToolError`."""
    with suppress(NotThere):
        tree.remove(root, path)


def signature_of(root: Path, path: str) -> os.stat_result | None:
    """The status of what is at this path, a link not followed."""
    try:
        with place(root, path, follow=False) as found:
            return found.stat()
    except ToolError:
        return None


def _make_room(root: Path, path: str, item: Item) -> None:
    """Removes what is there, if it is of another kind; a link in any case, for it would be
    followed."""
    there = signature_of(root, path)
    if there is None:
        return
    if item.kind == FOLDER:
        is_same = stat.S_ISDIR(there.st_mode)
    else:
        is_same = item.kind != LINK and stat.S_ISREG(there.st_mode)
    if not is_same:
        remove(root, path)


def _link(root: Path, path: str, target: str) -> None:
    above = path.rpartition("/")[0]
    if above:
        tree.make_folder(root, above)
    with place(root, path, follow=False, make=True) as found:
        try:
            os.symlink(target, found.name, dir_fd=found.folder)
            adopt(found.folder, found.name)
        except OSError as error:
            raise ToolError(f"a link cannot be made: {error.strerror}") from None


def _describe(root: Path, path: str, item: Item) -> None:
    """Mode and time of a file."""
    with place(root, path, follow=False) as found, suppress(FileNotFoundError):
        looked = os.open(found.name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=found.folder)
        try:
            if stat.S_ISREG(os.fstat(looked).st_mode):
                Path(f"/proc/self/fd/{looked}").chmod(item.mode & 0o777 or 0o644)
                os.utime(f"/proc/self/fd/{looked}", ns=(item.modified, item.modified))
        finally:
            os.close(looked)
