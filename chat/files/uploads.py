"""Storing an uploaded file in a workspace."""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from django.utils.translation import gettext

from chat.errors import Rejected
from chat.files import names
from chat.files.limits import limits
from chat.files.walking import total
from chat.placement.routing import is_shared
from tools.errors import NotThere, ToolError
from tools.workspace import tree
from tools.workspace.disk import Disk, measure
from tools.workspace.tree import Entry
from tracing.formatting.figures import size
from tracing.formatting.text import with_full_stop

# What to do if the name is taken: "" asks the person.
Taken = Literal["", "replace", "both"]
_TAKEN: tuple[Taken, ...] = ("", "replace", "both")


class NameTaken(Rejected):
    """The name is taken. `free` is a name that is not."""

    def __init__(self, name: str, free: str, *, can_replace: bool) -> None:
        there = "a file" if can_replace else gettext("a folder or a link")
        super().__init__(
            gettext("There is %(there)s %(name)s already.") % {"there": there, "name": name}
        )
        self.name = name
        self.free = free
        self.can_replace = can_replace


def read_taken(value: str) -> Taken:
    """The choice of this value; any other value asks."""
    return next((one for one in _TAKEN if one == value), "")


def take(
    workspace: Path, folder: str, name: str, count: int, pieces: Iterable[bytes], taken: Taken
) -> Entry:
    """Writes `count` bytes as `name` into the folder. Raises `NameTaken`, and `Rejected` beyond a
    limit."""
    target_name = names.clean(name)
    before = _there(workspace, folder, target_name)
    if before is not None and taken != "replace":
        free = _free(workspace, folder, target_name)
        if taken == "":
            raise NameTaken(target_name, free, can_replace=before.kind == "file")
        target_name, before = free, None
    _check_room(workspace, count, before)
    try:
        return tree.write_bytes(workspace, _in(folder, target_name), pieces, limits().file_bytes)
    except ToolError as error:
        raise Rejected(
            gettext("The file was not kept: %(error)s") % {"error": with_full_stop(str(error))}
        ) from error


def too_large(count: int) -> Rejected:
    most = limits().file_bytes
    return Rejected(
        gettext("The file has %(count)s; the limit is %(most)s. Take a part of it.")
        % {"count": size(count), "most": size(most)}
    )


def _check_room(workspace: Path, count: int, before: Entry | None) -> None:
    if count > limits().file_bytes:
        raise too_large(count)
    most = limits()
    held = _held(workspace, most.files)
    if not held.is_whole or (before is None and held.files >= most.files):
        raise Rejected(
            gettext("The workspace has %(files)s files; the limit is %(files_2)s. Delete some.")
            % {"files": f"{held.files:,}", "files_2": f"{most.files:,}"}
        )
    together = held.bytes - (before.size if before else 0) + count
    if together > most.total_bytes:
        raise Rejected(
            gettext(
                "The workspace would have %(together)s; the limit is %(total_bytes)s. Delete "
                "some files."
            )
            % {"together": size(together), "total_bytes": size(most.total_bytes)}
        )


def _held(workspace: Path, most: int) -> Disk:
    if not is_shared():  # the files of a copy have their sizes, and no bytes
        there = total(workspace, most)
        return Disk(there.bytes, there.files, is_whole=there.is_whole)
    try:
        return measure(workspace, most)
    except FileNotFoundError:  # nobody wrote to it yet
        return Disk()


def _free(workspace: Path, folder: str, name: str) -> str:
    for other in names.others(name):
        if _there(workspace, folder, other) is None:
            return other
    raise Rejected(
        gettext("There are too many files named %(name)s. Give this one another name.")
        % {"name": name}
    )


def _there(workspace: Path, folder: str, name: str) -> Entry | None:
    """The entry with this name; links are not followed."""
    try:
        return tree.stat_of(workspace, _in(folder, name))
    except NotThere:
        return None
    except ToolError as error:
        raise Rejected(
            gettext("The file was not kept: %(error)s") % {"error": with_full_stop(str(error))}
        ) from error


def _in(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
