"""Names of files inside a folder. Whatever a model writes, it never leads outside.

What runs in the sandbox may exchange a folder for a link at any moment, so that a path that was
looked at is worth nothing. A name is followed part by part, each opened below the one before it and
never through a link; links are read and followed by hand, `..` goes back to the folder that we came
from, and only what is open is used.
"""

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from limits.sandbox import MAX_LINKS, MAX_PATH_BYTES, MAX_PATH_DEPTH
from tools.errors import NotThere, ToolError

INSIDE = "/workspace"
# Folders that are seen at the top of a workspace, read-only, by name.
Lent = Mapping[str, Path]
NOTHING_LENT: Lent = {}
_LOOK = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True)
class Place:
    """Where a name leads: an open folder, and a name in it; "" is the folder itself.

    `path` is how the place is called from the root on, links followed.
    """

    folder: int
    name: str
    path: str

    def stat(self) -> os.stat_result | None:
        """Of what is there, a link not followed; None if there is nothing."""
        if not self.name:
            return os.fstat(self.folder)
        try:
            return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None


@contextmanager
def place(
    root: Path,
    name: str,
    *,
    inside: str = INSIDE,
    make: bool = False,
    follow: bool = True,
    lent: Lent = NOTHING_LENT,
) -> Iterator[Place]:
    """Where `name` leads below `root`, which commands see as `inside`, with the folders that are
    `lent` to it.

    `make` makes the folders that are missing on the way; without `follow` a link in the last place
    stands for itself. Raises `NotThere`, and `ToolError` for what is outside or no folder, and for
    what is to be made in a lent folder.
    """
    walk = _Walk(name, _parts(name, inside), inside, make, follow, lent)
    try:
        with _told(name):
            if make:
                root.mkdir(mode=0o700, parents=True, exist_ok=True)
            walk.folders.append(os.open(root, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC))
            last = walk.go()
        yield Place(walk.folders[-1], last, "/".join([*walk.names, *([last] if last else [])]))
    finally:
        for folder in walk.folders:
            os.close(folder)


def adopt(folder: int, name: str) -> None:
    """Gives what a server that runs as root made to whom the folder belongs: a sandbox's user."""
    if os.geteuid() == 0:
        owner = os.fstat(folder)
        os.chown(name, owner.st_uid, owner.st_gid, dir_fd=folder, follow_symlinks=False)


def open_folder(above: int, name: str) -> int:
    """A folder in an open folder, to be listed, whatever its modes say; no link. Raises OSError."""
    looked = os.open(name, _LOOK | os.O_DIRECTORY, dir_fd=above)
    try:
        if stat.S_IMODE(os.fstat(looked).st_mode) & 0o700 != 0o700:
            Path(f"/proc/self/fd/{looked}").chmod(0o700)
        return os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=looked)
    finally:
        os.close(looked)


def shown(name: str) -> str:
    """A name as one line of text that can be stored and sent, whatever bytes it has."""
    if name.isprintable():
        return name
    text = os.fsencode(name).decode(errors="backslashreplace")
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode() for one in text
    )


def _parts(name: str, inside: str) -> list[str]:
    """From the last to the first."""
    if "\0" in name:
        raise ToolError("a path cannot contain a NUL character")
    try:
        size = len(os.fsencode(name))
    except UnicodeEncodeError:
        raise ToolError("a path has to be valid Unicode") from None
    if size > MAX_PATH_BYTES:
        raise ToolError(f"a path has at most {MAX_PATH_BYTES:,} bytes; this one has {size:,}")
    if name == inside or name.startswith(f"{inside}/"):
        name = name.removeprefix(inside).lstrip("/")
    if name.startswith("/"):
        raise _outside(name)
    return name.split("/")[::-1]


@dataclass
class _Walk:
    """On the way to a place: the open folders from the root on, and their names."""

    name: str
    waiting: list[str]
    inside: str
    make: bool
    follow: bool
    lent: Lent
    folders: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    links: int = 0

    def go(self) -> str:
        """Returns the name in the last folder, "" for that folder itself."""
        while self.waiting:
            part = self.waiting.pop()
            if part in ("", "."):
                continue
            if part == "..":
                self._back()
            elif self._enter(part, is_last=not any(self.waiting)):
                return part
        return ""

    def _back(self) -> None:
        if not self.names:
            raise _outside(self.name)
        os.close(self.folders.pop())
        self.names.pop()

    def _enter(self, part: str, *, is_last: bool) -> bool:
        """True if it is the last and no folder."""
        found = self._open(part, is_last=is_last)
        if found is None:
            return True
        try:
            mode = os.fstat(found).st_mode
            if stat.S_ISDIR(mode):
                self._push(found, part)
                found = -1
                return False
            if stat.S_ISLNK(mode) and (self.follow or not is_last):
                self._link(os.readlink("", dir_fd=found))
                return False
        finally:
            if found >= 0:
                os.close(found)
        if not is_last:
            raise ToolError(f"{shown('/'.join([*self.names, part]))} is no folder")
        return True

    def _open(self, part: str, *, is_last: bool) -> int | None:
        if not self.names and part in self.lent:
            return self._open_lent(part)
        with suppress(FileNotFoundError):
            return os.open(part, _LOOK, dir_fd=self.folders[-1])
        if is_last:
            return None
        if not self.make:
            raise NotThere(f"there is no folder {shown('/'.join([*self.names, part]))}")
        with suppress(FileExistsError):
            os.mkdir(part, 0o755, dir_fd=self.folders[-1])
            adopt(self.folders[-1], part)
        return os.open(part, _LOOK, dir_fd=self.folders[-1])

    def _open_lent(self, name: str) -> int:
        if self.make:
            raise ToolError(
                f"{shown(self.name)} cannot be written: {name}/ is read-only, its files are those "
                "of the project. Write a copy elsewhere in the workspace"
            )
        return os.open(self.lent[name], os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)

    def _push(self, folder: int, name: str) -> None:
        if len(self.names) >= MAX_PATH_DEPTH:
            raise ToolError(f"a path has at most {MAX_PATH_DEPTH} folders")
        self.folders.append(folder)
        self.names.append(name)

    def _link(self, target: str) -> None:
        self.links += 1
        if self.links > MAX_LINKS:
            raise ToolError(f"{shown(self.name)} leads through too many links")
        if target.startswith("/"):
            if target != self.inside and not target.startswith(f"{self.inside}/"):
                raise _outside(self.name)
            target = target.removeprefix(self.inside)
            while self.names:
                self._back()
        self.waiting += target.split("/")[::-1]


@contextmanager
def _told(name: str) -> Iterator[None]:
    """What the kernel says of a name, as a sentence."""
    try:
        yield
    except FileNotFoundError:
        raise NotThere(f"there is no {shown(name)}") from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise ToolError("a name has at most 255 bytes") from None
        raise ToolError(f"{shown(name)} cannot be reached: {error.strerror}") from None


def _outside(name: str) -> ToolError:
    return ToolError(f"{shown(name)!r} is outside of the workspace")
