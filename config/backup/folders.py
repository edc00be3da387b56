"""Folders of the home in an archive: a tar each, of files and folders alone.

Links, sockets and devices are left out and counted; an archive that has one is refused. Files may
change while they are read: one that vanished is not there, one that shrank is filled up with zeros.
"""

import os
import shutil
import stat
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, cast

from config.backup.errors import BadArchive
from config.backup.manifest import FolderFacts

# Below the home. `projects` is made again of rows; `redis`, `run`, `logs` are of what runs.
NAMES = ("workspaces", "skills", "imports", "archives")
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
_PERMISSIONS = 0o777
_CHUNK = 1 << 20
_MTIME = "ROUNDTRIP.mtime_ns"
_NS = 1_000_000_000


def member(name: str) -> str:
    return f"folders/{name}.tar.zst"


class FolderWriter:
    """Writes a folder into a stream; `facts` says afterwards what it was."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files = self._size = self._left_out = 0

    @property
    def facts(self) -> FolderFacts:
        return FolderFacts(self._files, self._size, self._left_out)

    def write(self, stream: IO[bytes]) -> None:
        with tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as tar:
            for path, names, files, descriptor in os.fwalk(self._root):
                folder = PurePosixPath(path).relative_to(self._root)
                names.sort()
                for name in sorted([*names, *files]):
                    self._add(tar, folder / name, name, descriptor)

    def _add(self, tar: tarfile.TarFile, path: PurePosixPath, name: str, folder: int) -> None:
        """By the folder's descriptor, and no link is followed: programs in a workspace may change
        what a path means while it is read."""
        try:
            opened = os.open(name, _READ, dir_fd=folder)
        except FileNotFoundError:
            return
        except OSError:
            self._left_out += 1
            return
        try:
            self._write(tar, str(path), opened)
        finally:
            os.close(opened)

    def _write(self, tar: tarfile.TarFile, path: str, opened: int) -> None:
        facts = os.fstat(opened)
        entry = _entry(path, facts)
        if stat.S_ISDIR(facts.st_mode):
            tar.addfile(entry)
        elif stat.S_ISREG(facts.st_mode):
            tar.addfile(entry, cast(IO[bytes], _Exactly(opened, facts.st_size)))
            self._files += 1
            self._size += facts.st_size
        else:
            self._left_out += 1


class _Exactly:
    """As many bytes of a file as it had when it was opened."""

    def __init__(self, opened: int, size: int) -> None:
        self._opened = opened
        self._left = size

    def read(self, count: int) -> bytes:
        wanted = min(count, self._left)
        block = os.read(self._opened, wanted)
        while len(block) < wanted:
            more = os.read(self._opened, wanted - len(block))
            block += more or bytes(wanted - len(block))
        self._left -= wanted
        return block


def _entry(path: str, facts: os.stat_result) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(path)
    is_folder = stat.S_ISDIR(facts.st_mode)
    entry.type = tarfile.DIRTYPE if is_folder else tarfile.REGTYPE
    entry.size = 0 if is_folder else facts.st_size
    entry.mode = facts.st_mode & _PERMISSIONS
    entry.mtime = facts.st_mtime_ns // _NS
    # A number of nanoseconds does not fit into a float.
    entry.pax_headers = {_MTIME: str(facts.st_mtime_ns)}
    return entry


def check(stream: IO[bytes]) -> FolderFacts:
    """What a tar of ours has, read to its end; raises BadArchive for anything else."""
    files = size = 0
    for entry, _ in _entries(stream):
        files += entry.isreg()
        size += entry.size
    return FolderFacts(files, size)


def extract(stream: IO[bytes], root: Path) -> None:
    """Makes the folder `root`, which is not there, and what the tar has in it."""
    root.mkdir(mode=0o700, parents=True)
    folders: list[tuple[Path, int, int]] = []
    for entry, tar in _entries(stream):
        path = root / entry.name
        changed = int(entry.pax_headers.get(_MTIME, entry.mtime * _NS))
        if entry.isdir():
            path.mkdir(mode=0o700)
            folders.append((path, entry.mode, changed))
            continue
        with os.fdopen(os.open(path, _WRITE, 0o600), "wb") as file:
            content = tar.extractfile(entry)
            assert content is not None
            shutil.copyfileobj(content, file, _CHUNK)
        _give(path, entry.mode, changed)
    # The innermost first: a file that is written changes its folder's time.
    for path, mode, changed in reversed(folders):
        _give(path, mode, changed)


def _give(path: Path, mode: int, changed: int) -> None:
    path.chmod(mode & _PERMISSIONS)
    os.utime(path, ns=(changed, changed))


def _entries(stream: IO[bytes]) -> Iterator[tuple[tarfile.TarInfo, tarfile.TarFile]]:
    """Each entry, of which the path stays inside; raises BadArchive."""
    seen: set[str] = set()
    try:
        with tarfile.open(fileobj=stream, mode="r|") as tar:
            for entry in tar:
                path = PurePosixPath(entry.name)
                is_inside = not path.is_absolute() and ".." not in path.parts and path.parts
                if not is_inside or not (entry.isreg() or entry.isdir()) or entry.name in seen:
                    raise BadArchive(
                        f"The archive has {entry.name!r}, which is no plain file or folder inside"
                        " of its place: it is not restored."
                    )
                seen.add(entry.name)
                yield entry, tar
    except tarfile.TarError as error:
        raise BadArchive(f"A folder in the archive cannot be read ({error}).") from None
