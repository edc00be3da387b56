"""Copies of workspaces for pages, programs and jobs, which need no machine's own files for it.

A copy of a version has all names, sizes and times; a file is a hole until somebody asks for its
bytes (`files`). It lies in `<home>/copies/<workspace>/<version>/<workspace>`, for all processes of
the machine, and is never changed, so that whoever reads it is not disturbed. With a shared folder
there are no copies: these functions answer the folder itself.
"""

import fcntl
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import UUID

from django.conf import settings

from chat import workspaces
from chat.placement.routing import is_shared
from chat.placement.sources import Source, Stale, source_of
from limits.placement import MAX_COPY_AGE_S
from tools.errors import ToolError
from tools.workspace import restoring, tree
from tools.workspace.manifests import FOLDER, Manifest, changes, decoded, scan

_ATTEMPTS = 3


def names(workspace: UUID) -> Path:
    """A folder with what lies in the workspace, without the bytes. Raises `ToolError`."""
    if is_shared():
        return workspaces.folder(workspace)
    with _locked(workspace):
        return _Copy(workspace).folder


def files(workspace: UUID, *paths: str) -> Path:
    """A folder with what lies in the workspace; these files, and those below these folders, have
    their bytes; without paths all have. Raises `ToolError`."""
    if is_shared():
        return workspaces.folder(workspace)
    for attempt in range(_ATTEMPTS):
        with _locked(workspace):
            copy = _Copy(workspace)
            try:
                copy.fill(paths)
            except Stale:
                if attempt == _ATTEMPTS - 1:
                    raise
                continue
            return copy.folder
    raise AssertionError("the last attempt raises")


@contextmanager
def changing(workspace: UUID) -> Iterator[Path]:
    """A folder to write, replace and remove files in. What was changed is the workspace's when the
    block has ended; files that were there have no bytes in it. Raises `ToolError`."""
    if is_shared():
        yield workspaces.folder(workspace)
        return
    source = source_of(workspace)
    _, manifest = source.latest()
    above = _above(workspace)
    above.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=above, prefix="changing-") as place:
        folder = Path(place) / str(workspace)
        _make(folder, decoded(manifest))
        before = scan(folder)
        yield folder
        made = changes(before, scan(folder))
        if made:
            source.apply(folder, made)


class _Copy:
    """The copy of the latest version; made if it is not there."""

    def __init__(self, workspace: UUID) -> None:
        self._source: Source = source_of(workspace)
        version, manifest = self._source.latest()
        self._manifest = decoded(manifest)
        self._place = _above(workspace) / version
        self.folder = self._place / str(workspace)
        if self.folder.exists():
            os.utime(self._place)
            return
        _sweep(workspace)
        with tempfile.TemporaryDirectory(dir=_above(workspace), prefix="making-") as making:
            _make(Path(making) / str(workspace), self._manifest)
            (Path(making) / "filled").mkdir()
            # A rest of one whose making was cut is in the way.
            shutil.rmtree(self._place, ignore_errors=True)
            Path(making).rename(self._place)
            Path(making).mkdir()  # which the block removes

    def fill(self, paths: tuple[str, ...]) -> None:
        """Gives these files their bytes. Raises `Stale`, `ToolError`."""
        wanted = [self._resolved(path) for path in paths] or [""]
        for path, item in self._manifest.items():
            if item.is_file and any(not one or _is_in(path, one) for one in wanted):
                mark = self._place / "filled" / hashlib.sha256(os.fsencode(path)).hexdigest()
                if not mark.exists():
                    restoring.restore(self.folder, path, item, self._source.read(path, item))
                    mark.touch()

    def _resolved(self, path: str) -> str:
        """What the path leads to, links followed; a path of nothing stays."""
        try:
            return tree.stat_of(self.folder, path).path
        except ToolError:
            return path or "/"


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _make(folder: Path, manifest: Manifest) -> None:
    folder.mkdir(mode=0o700)
    for path, item in manifest.items():
        if item.is_file:
            restoring.restore_hole(folder, path, item)
        elif item.kind != FOLDER:
            restoring.restore(folder, path, item)
        else:
            restoring.restore(folder, path, item)


def _above(workspace: UUID) -> Path:
    return Path(settings.HOME) / "copies" / str(workspace)


@contextmanager
def _locked(workspace: UUID) -> Iterator[None]:
    """One process at a time makes copies of a workspace."""
    above = _above(workspace)
    above.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (above / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _sweep(workspace: UUID) -> None:
    """Removes older versions that nobody used for long."""
    for place in _above(workspace).iterdir():
        with suppress(OSError):
            if place.is_dir() and time.time() - place.stat().st_mtime > MAX_COPY_AGE_S:
                shutil.rmtree(place, ignore_errors=True)


def sweep_all() -> None:
    """Removes the copies that nobody used for long, of all workspaces."""
    above = Path(settings.HOME) / "copies"
    for place in above.iterdir() if above.is_dir() else ():
        with suppress(ValueError):
            _sweep(UUID(place.name))
