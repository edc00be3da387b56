"""The file tools: plain functions on the conversation's workspace, and on the folders that are lent
to it to read (those of skills, and of the project) by the names that they have in the shell."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from limits.sandbox import MAX_EDITED_BYTES, MAX_LISTED_FILES, MAX_READ_FILE
from tools.errors import NotThere, ToolError
from tools.values.call import CallContext
from tools.workspace import tree
from tools.workspace.disk import measure
from tools.workspace.limits import configured
from tools.workspace.paths import INSIDE, Lent, shown
from tools.workspace.tree import Entry

_BINARY_LOOK = 8_192


def read_file(path: str, context: CallContext, offset: int = 0, limit: int = 2_000) -> str:
    """Read a text file of the workspace, or of a skill that is loaded, with line numbers.

    Args:
        path: The file, relative to the workspace; those of a skill begin with /skills/.
        offset: How many lines to skip.
        limit: How many lines to read at most.
    """
    text = _text(_root(context, path), path)
    if not text:
        return "(the file is empty)"
    lines = text.removesuffix("\n").split("\n")
    if not 0 <= offset < len(lines):
        raise ToolError(f"{shown(path)} has {len(lines):,} lines; there is none after {offset:,}")
    chosen = _fitting(lines[offset : offset + max(1, limit)], offset)
    rest = len(lines) - offset - len(chosen)
    end = f"\n({rest:,} more lines; offset {offset + len(chosen)} reads on)" if rest else ""
    return "\n".join(chosen) + end


def write_file(path: str, content: str, context: CallContext) -> str:
    """Write a text file of the workspace: a new one, or all of an existing one anew. Missing
    folders are made.

    Args:
        path: The file, relative to the workspace.
        content: The whole content.
    """
    made = _write(_workspace(context), path, content)
    return f"Wrote {len(content):,} characters to {shown(made.path)}."


def edit_file(path: str, old_text: str, new_text: str, context: CallContext) -> str:
    """Replace one passage of a text file of the workspace.

    Args:
        path: The file, relative to the workspace.
        old_text: The passage, exactly as it stands there, and only once.
        new_text: What is to stand in its place.
    """
    text = _text(_workspace(context), path)
    count = text.count(old_text) if old_text else 0
    if count != 1:
        there = f"{count} times" if count else "not there" if old_text else "empty"
        raise ToolError(f"the passage has to be in {shown(path)} exactly once; it is {there}")
    made = _write(_workspace(context), path, text.replace(old_text, new_text))
    return f"Edited {shown(made.path)}."


def list_files(context: CallContext, path: str = ".") -> str:
    """List the files of a folder of the workspace, or of a skill that is loaded, and of the folders
    in it, with their sizes.

    Args:
        path: The folder, relative to the workspace; that of a skill begins with /skills/.
    """
    lines = list(islice(_lines(_root(context, path), path), MAX_LISTED_FILES + 1))
    more = [f"(more than {MAX_LISTED_FILES} files)"] if len(lines) > MAX_LISTED_FILES else []
    return "\n".join([*lines[:MAX_LISTED_FILES], *more]) or "(no files)"


@dataclass(frozen=True)
class _Root:
    """A folder that names are relative to, what commands see it as, and what is lent to it."""

    path: Path
    inside: str
    lent: Lent = field(default_factory=dict)


def _root(context: CallContext, path: str) -> _Root:
    """The folder in which this path is: of a skill, or the workspace."""
    for folder in context.folders:
        is_beside = not folder.inside.startswith(f"{INSIDE}/")
        if is_beside and (path == folder.inside or path.startswith(f"{folder.inside}/")):
            return _Root(folder.path, folder.inside)
    return _workspace(context)


def _workspace(context: CallContext) -> _Root:
    above = f"{INSIDE}/"
    within = [folder for folder in context.folders if folder.inside.startswith(above)]
    lent = {folder.inside.removeprefix(above): folder.path for folder in within}
    return _Root(context.workspace, INSIDE, lent)


def _lines(root: _Root, folder: str) -> Iterator[str]:
    """One for each file and each empty folder, those of a folder before those of folders in it."""
    entries = tree.listing(root.path, folder, inside=root.inside, lent=root.lent)
    yield from (_line(entry, root.inside) for entry in entries if entry.kind != "folder")
    for entry in entries:
        if entry.kind == "folder":
            yield from _lines_of(root, entry.path)


def _lines_of(root: _Root, folder: str) -> Iterator[str]:
    """Of a folder in the folder: whatever is wrong with it, the others are listed."""
    is_empty = True
    try:
        for line in _lines(root, folder):
            is_empty = False
            yield line
    except ToolError as error:
        yield f"{_called(folder, root.inside)}/ ({error})"
    else:
        if is_empty:
            yield f"{_called(folder, root.inside)}/ (empty)"


def _line(entry: Entry, inside: str) -> str:
    name = _called(entry.path, inside)
    if entry.kind == "link":
        return f"{name} -> {shown(entry.target)}"
    return f"{name} ({entry.size:,} bytes)" if entry.kind == "file" else f"{name} (no file)"


def _called(path: str, inside: str) -> str:
    return shown(path) if inside == INSIDE else f"{inside}/{shown(path)}"


def _fitting(lines: list[str], offset: int) -> list[str]:
    """Numbered lines, as many whole ones as may be read at once; a single longer one is cut."""
    found: list[str] = []
    room = MAX_READ_FILE
    for number, line in enumerate(lines, offset + 1):
        numbered = f"{number:>6}\t{line}"
        room -= len(numbered) + 1
        if room < 0 and found:
            break
        if room < 0:
            cut = f" (the line is cut: it has {len(line):,} characters)"
            return [numbered[: MAX_READ_FILE - len(cut)] + cut]
        found.append(numbered)
    return found


def _text(root: _Root, name: str) -> str:
    with tree.open_read(root.path, name, root.inside, root.lent) as file:
        size = os.fstat(file.fileno()).st_size
        if size > MAX_EDITED_BYTES:
            hint = "bash can show a part of it"
            raise ToolError(
                f"{shown(name)} has {size:,} bytes, more than {MAX_EDITED_BYTES:,}; {hint}"
            )
        body = file.read(MAX_EDITED_BYTES)
    if b"\0" in body[:_BINARY_LOOK]:
        raise ToolError(f"{shown(name)} is no text: it has {len(body):,} bytes of binary data")
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise ToolError(f"{shown(name)} is no text in UTF-8") from None


def _write(workspace: _Root, name: str, content: str) -> Entry:
    try:
        body = content.encode()
    except UnicodeEncodeError:
        raise ToolError("the content has characters that are no valid Unicode") from None
    if len(body) > MAX_EDITED_BYTES:
        raise ToolError(f"more than {MAX_EDITED_BYTES:,} bytes cannot be written at once")
    _check_room(workspace.path, name, len(body))
    return tree.write_bytes(workspace.path, name, [body], lent=workspace.lent)


def _check_room(workspace: Path, name: str, size: int) -> None:
    """Raises `ToolError` if the workspace would have more than its limits (`SANDBOX_LIMITS`)."""
    limits = configured()
    try:
        there = measure(workspace, limits.workspace_files)
    except FileNotFoundError:
        return
    try:
        before = tree.stat_of(workspace, name).size
    except NotThere:
        before = 0
        if there.files >= limits.workspace_files:
            raise ToolError(f"the workspace has {there.files:,} files, which is the most") from None
    if size > before and there.bytes + size - before > limits.workspace_bytes:
        raise ToolError(
            f"the workspace is full: it has {there.bytes:,} of {limits.workspace_bytes:,} bytes. "
            "Remove what is not needed"
        )
