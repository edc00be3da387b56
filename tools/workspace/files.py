"""The file tools: plain functions on the conversation's workspace.

A file is opened without following a link that came to stand in its place after its path was looked
at, and is written beside itself and then moved, so that a reader never sees half of it.
"""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tools.calls import CallContext
from tools.errors import ToolError
from tools.workspace.paths import inside, told

MOST_READ = 50_000  # characters
MOST_WRITTEN = 5_000_000
MOST_LISTED = 500


def read_file(path: str, context: CallContext, offset: int = 0, limit: int = 2_000) -> str:
    """Read a text file of the workspace, with line numbers.

    Args:
        path: The file, relative to the workspace.
        offset: How many lines to skip.
        limit: How many lines to read at most.
    """
    lines = _text(inside(context.workspace, path), path).splitlines()
    if not lines:
        return "(the file is empty)"
    if not 0 <= offset < len(lines):
        raise ToolError(f"{path} has {len(lines):,} lines; there is none after {offset:,}")
    chosen = lines[offset : offset + max(1, limit)]
    numbered = "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(chosen, offset + 1))
    rest = len(lines) - offset - len(chosen)
    end = f"\n({rest:,} more lines; offset {offset + len(chosen)} reads on)" if rest else ""
    return numbered[:MOST_READ] + end


def write_file(path: str, content: str, context: CallContext) -> str:
    """Write a text file of the workspace: a new one, or all of an existing one anew. Missing
    folders are made.

    Args:
        path: The file, relative to the workspace.
        content: The whole content.
    """
    found = inside(context.workspace, path)
    _write(found, content, path)
    return f"Wrote {len(content):,} characters to {told(context.workspace, found)}."


def edit_file(path: str, old_text: str, new_text: str, context: CallContext) -> str:
    """Replace one passage of a text file of the workspace.

    Args:
        path: The file, relative to the workspace.
        old_text: The passage, exactly as it stands there, and only once.
        new_text: What is to stand in its place.
    """
    found = inside(context.workspace, path)
    text = _text(found, path)
    count = text.count(old_text) if old_text else 0
    if count != 1:
        there = f"{count} times" if count else "not there" if old_text else "empty"
        raise ToolError(f"the passage has to be in {path} exactly once; it is {there}")
    _write(found, text.replace(old_text, new_text), path)
    return f"Edited {told(context.workspace, found)}."


def list_files(context: CallContext, path: str = ".") -> str:
    """List the files of a folder of the workspace and of the folders in it, with their sizes.

    Args:
        path: The folder, relative to the workspace.
    """
    folder = inside(context.workspace, path)
    if not folder.is_dir():
        raise ToolError(f"{path} is no folder")
    found = [_line(context.workspace, one) for one in _walk(folder)]
    more = [f"(more than {MOST_LISTED} files)"] if len(found) > MOST_LISTED else []
    return "\n".join([*found[:MOST_LISTED], *more]) or "(no files)"


def _walk(folder: Path) -> Iterator[Path]:
    count = 0
    for parent, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            yield Path(parent) / name
            count += 1
            if count > MOST_LISTED:
                return


def _line(workspace: Path, path: Path) -> str:
    name = told(workspace, path)
    if path.is_symlink():
        return f"{name} -> {path.readlink()}"
    return f"{name} ({path.stat().st_size:,} bytes)"


def _text(path: Path, name: str) -> str:
    if path.is_dir():
        raise ToolError(f"{name} is a folder; list_files shows what is in it")
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            body = file.read(MOST_WRITTEN + 1)
    except FileNotFoundError:
        raise ToolError(f"there is no file {name}") from None
    except OSError as error:
        raise ToolError(f"{name} cannot be read: {error.strerror}") from None
    if len(body) > MOST_WRITTEN:
        raise ToolError(f"{name} is larger than {MOST_WRITTEN:,} bytes")
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise ToolError(f"{name} is no text in UTF-8") from None


def _write(path: Path, content: str, name: str) -> None:
    body = content.encode(errors="surrogatepass")
    if len(body) > MOST_WRITTEN:
        raise ToolError(f"more than {MOST_WRITTEN:,} bytes cannot be written at once")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".writing-", delete=False) as file:
            file.write(body)
            os.fchmod(file.fileno(), mode)
        Path(file.name).replace(path)
    except OSError as error:
        raise ToolError(f"{name} cannot be written: {error.strerror}") from None
