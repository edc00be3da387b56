"""The copies that a `tools` worker has of workspaces in object storage.

    before a call   the copy is made what the manifest says: `make_current`
    after it        changed files go to the storage, then the manifest is replaced: `store_changes`

A call is a unit: until the manifest is replaced, others see the workspace as it was. Between calls
the copy is the conversation's: what a server that goes on running writes is stored with the next
call. The copies of a process that has ended are made anew, but for changes that could not be
stored: a file beside the copy (`.unstored`) has the manifest that they are to be added to.
"""

import logging
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from uuid import UUID

from chat import workspaces
from chat.placement import manifests
from db.threads import in_database
from limits.placement import MAX_STORE_TRANSFERS
from tools.errors import ToolError
from tools.workspace import restoring, tree
from tools.workspace.manifests import (
    FOLDER,
    Item,
    Manifest,
    as_written,
    changes,
    decoded,
    encoded,
    scan,
)
from tools.workspace.object_store import StoreError
from tools.workspace.removal import remove_workspace

logger = logging.getLogger(__name__)


@dataclass
class Copy:
    """A workspace on this machine. `stored` is the manifest that it was last the same as, and
    `local` what its files were then; `version` is None if the manifest has to be looked at."""

    version: int | None = None
    stored: dict[str, Item] = field(default_factory=dict)
    local: dict[str, Item] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    is_begun: bool = False


_copies: dict[UUID, Copy] = {}
_guard = threading.Lock()


def _copy(workspace: UUID) -> Copy:
    with _guard:
        return _copies.setdefault(workspace, Copy())


def forget(workspace: UUID) -> None:
    """Removes the copy, whose conversation was deleted or is another machine's. Raises OSError."""
    with _guard:
        copy = _copies.pop(workspace, None)
    with (copy or Copy()).lock:
        _unstored(workspace).unlink(missing_ok=True)
        remove_workspace(workspaces.folder(workspace))


def make_current(workspace: UUID) -> None:
    """Makes the copy what the manifest says, before a call. Files that were changed here stay: they
    are stored with the call. Raises `StoreError`, `ToolError`, OSError; nothing was run then."""
    copy = _copy(workspace)
    with copy.lock:
        if not copy.is_begun:
            _begin(workspace, copy)
        elif _unstored(workspace).exists():
            _store(workspace, copy)
        place = in_database(manifests.current, workspace)
        if place.version != copy.version:
            _follow(workspace, copy, decoded(bytes(place.manifest)))
            copy.version = place.version


def store_changes(workspace: UUID) -> int:
    """Stores what was changed since the copy was current; how many paths. Raises `StoreError`,
    `ToolError`, OSError: then the changes stay here, and are stored before the next call."""
    copy = _copy(workspace)
    with copy.lock:
        return _store(workspace, copy)


def _begin(workspace: UUID, copy: Copy) -> None:
    """The first use by this process."""
    rest = _unstored(workspace)
    if rest.exists():
        copy.stored = decoded(rest.read_bytes())
        # What a file was when it was last stored is not known: those of another size or time count
        # as changed.
        there = scan(workspaces.folder(workspace))
        copy.local = {path: _as_local(item, there.get(path)) for path, item in copy.stored.items()}
        _store(workspace, copy)
    remove_workspace(workspaces.folder(workspace))
    copy.version, copy.stored, copy.local = None, {}, {}
    copy.is_begun = True


def _as_local(item: Item, there: Item | None) -> Item:
    """What is there, if it can be the same as what is stored."""
    if there is None or not item.is_file:
        return item
    is_same = (there.kind, there.size, there.modified) == (item.kind, item.size, item.modified)
    return there if is_same else item


def _store(workspace: UUID, copy: Copy) -> int:
    folder = workspaces.folder(workspace)
    local = scan(folder)
    made = changes(copy.local, local)
    if not made:
        _unstored(workspace).unlink(missing_ok=True)
        return 0
    _unstored(workspace).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _unstored(workspace).write_bytes(encoded(copy.stored))
    files = [path for path, item in made.items() if item is not None and item.is_file]
    contents = dict(zip(files, _uploaded(workspace, folder, files), strict=True))
    # A file that is gone meanwhile, or changed again, is of a later call.
    kept = {path: content for path, content in contents.items() if content}
    committed = {
        path: item if item is None else as_written({path: item}, kept)[path]
        for path, item in made.items()
        if path not in contents or path in kept
    }
    place, is_alone = manifests.commit(workspace, committed)
    stored = {path: item for path, item in copy.stored.items() if path not in committed}
    copy.stored = stored | {path: item for path, item in committed.items() if item is not None}
    copy.local = {path: item for path, item in local.items() if path in copy.stored}
    is_next = copy.version is not None and place.version == copy.version + 1
    copy.version = place.version if is_alone and is_next else None
    _unstored(workspace).unlink(missing_ok=True)
    return len(committed)


def _uploaded(workspace: UUID, folder: Path, paths: Iterable[str]) -> list[str]:
    def upload(path: str) -> str:
        try:
            file = tree.open_read(folder, path)
        except ToolError:
            return ""
        with file:
            return manifests.store().put(workspace, file)

    return _at_once([partial(upload, path) for path in paths])


def _follow(workspace: UUID, copy: Copy, manifest: Manifest) -> None:
    """Makes the copy what the manifest says, but for what was changed here since it was current."""
    folder = workspaces.folder(workspace)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    own = changes(copy.local, scan(folder))
    wanted = {
        path: item for path, item in changes(copy.stored, manifest).items() if path not in own
    }
    for path, item in wanted.items():
        if item is not None and item.kind == FOLDER:
            restoring.restore(folder, path, item)
    for path, item in wanted.items():
        if item is None:
            restoring.remove(folder, path)
    others = [(path, item) for path, item in wanted.items() if item and item.kind != FOLDER]
    _at_once([partial(_restore, workspace, path, item) for path, item in others])
    there = scan(folder)
    # What was changed here stays a change.
    before = {path: item for path, item in copy.local.items() if path in own}
    copy.local = {path: item for path, item in there.items() if path not in own} | before
    copy.stored = dict(manifest)


def _restore(workspace: UUID, path: str, item: Item) -> str:
    pieces = manifests.store().read(workspace, item.content) if item.is_file else ()
    restoring.restore(workspaces.folder(workspace), path, item, pieces)
    return path


def _at_once(tasks: list[Callable[[], str]]) -> list[str]:
    """The answers of all, a few at a time. Raises the first error when all have ended."""
    if len(tasks) < 2:
        return [task() for task in tasks]
    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(min(len(tasks), MAX_STORE_TRANSFERS)))
        return [future.result() for future in [pool.submit(task) for task in tasks]]


def _unstored(workspace: UUID) -> Path:
    """Exists while changes of a call are not stored: the manifest that they are changes of."""
    return workspaces.folder(workspace).parent / ".unstored" / str(workspace)


__all__ = ["StoreError", "forget", "make_current", "store_changes"]
