"""What lies in a workspace as a list that machines exchange: names, kinds, sizes, times, contents.

A content is a text that stands for the bytes of a file: the name of an object in a storage, or of a
file as it is on its machine. Paths may have any bytes but NUL, as `os.fsdecode` gives them.
"""

import json
import os
import stat
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from limits.placement import MAX_STORED_FILES
from limits.sandbox import MAX_PATH_DEPTH
from tools.errors import ToolError
from tools.workspace.paths import open_folder

FILE, FOLDER, LINK = "f", "d", "l"


@dataclass(frozen=True)
class Item:
    """A file, folder or link. `content` is that of a file, or where a link points; `modified` is in
    nanoseconds. `size` is bytes, 0 unless it is a file."""

    kind: str
    size: int = 0
    modified: int = 0
    mode: int = 0
    content: str = ""

    @property
    def is_file(self) -> bool:
        return self.kind == FILE


# By path. Folders come before what lies in them.
Manifest = Mapping[str, Item]
# What became of paths; None: removed.
Changes = Mapping[str, Item | None]


def scan(root: Path, most: int = MAX_STORED_FILES) -> dict[str, Item]:
    """What lies in a folder, {} if it is not there. The content of a file changes whenever the file
    does: it is made of its inode and times. Raises `ToolError` beyond `most`."""
    found: dict[str, Item] = {}
    with suppress(FileNotFoundError):
        opened = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for path, item in _items(opened, "", 1):
                found[path] = item
                if len(found) > most:
                    raise ToolError(f"a workspace has at most {most:,} files and folders")
        finally:
            os.close(opened)
    return found


def changes(before: Manifest, after: Manifest) -> dict[str, Item | None]:
    """What is new or different in `after`, then what is missing, innermost first."""
    gone = [path for path in before if path not in after]
    return {
        **{path: item for path, item in after.items() if before.get(path) != item},
        **dict.fromkeys(sorted(gone, reverse=True)),
    }


def changed(manifest: Manifest, made: Changes) -> dict[str, Item]:
    """The manifest after these changes. Folders around new files are there."""
    result = {path: item for path, item in manifest.items() if path not in made}
    result |= {path: item for path, item in made.items() if item is not None}
    for path in list(result):
        around = path.rpartition("/")[0]
        while around and around not in result:
            result[around] = Item(FOLDER, mode=0o755)
            around = around.rpartition("/")[0]
    return dict(sorted(result.items()))


def encoded(manifest: Manifest) -> bytes:
    rows = [[path, *asdict(item).values()] for path, item in manifest.items()]
    return zlib.compress(json.dumps(rows, separators=(",", ":")).encode(), 3)


def decoded(body: bytes) -> dict[str, Item]:
    """Raises ValueError for what is no manifest."""
    if not body:
        return {}
    try:
        return {path: Item(*rest) for path, *rest in json.loads(zlib.decompress(body))}
    except (zlib.error, TypeError) as error:
        raise ValueError(f"no manifest: {error}") from None


def total_bytes(manifest: Manifest) -> int:
    return sum(item.size for item in manifest.values())


def as_written(manifest: Manifest, contents: Mapping[str, str]) -> dict[str, Item]:
    """The same with other contents of these paths."""
    return {
        path: replace(item, content=contents[path]) if path in contents else item
        for path, item in manifest.items()
    }


def _items(folder: int, path: str, depth: int) -> Iterator[tuple[str, Item]]:
    with os.scandir(folder) as scanned:
        names = sorted(one.name for one in scanned)
    for name in names:
        with suppress(FileNotFoundError):
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            inner = f"{path}/{name}" if path else name
            item = _item(status, folder, name)
            if item is None:
                continue
            yield inner, item
            if item.kind == FOLDER and depth < MAX_PATH_DEPTH:
                yield from _inner_items(folder, name, inner, depth)


def _inner_items(above: int, name: str, path: str, depth: int) -> Iterator[tuple[str, Item]]:
    opened = open_folder(above, name)
    try:
        yield from _items(opened, path, depth + 1)
    finally:
        os.close(opened)


def _item(status: os.stat_result, folder: int, name: str) -> Item | None:
    """None of what is no file, folder or link."""
    mode = stat.S_IMODE(status.st_mode) & 0o777
    if stat.S_ISDIR(status.st_mode):
        return Item(FOLDER, mode=mode)
    if stat.S_ISLNK(status.st_mode):
        return Item(LINK, content=os.readlink(name, dir_fd=folder))
    if not stat.S_ISREG(status.st_mode):
        return None
    return Item(FILE, status.st_size, status.st_mtime_ns, mode, signature(status))


def signature(status: os.stat_result) -> str:
    """Changes whenever the file does."""
    return f"{status.st_ino}-{status.st_size}-{status.st_mtime_ns}-{status.st_ctime_ns}"
