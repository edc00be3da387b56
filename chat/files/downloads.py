"""Streaming files and zips of a workspace, so that none is in memory as a whole."""

import asyncio
import io
import zipfile
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from django.utils.translation import gettext

from chat.errors import Rejected
from chat.files.limits import limits
from chat.files.walking import walk
from limits.files import MAX_ZIPPED_FILES
from tools.errors import ToolError
from tools.workspace import tree
from tools.workspace.paths import shown
from tools.workspace.tree import Entry
from tracing.formatting.figures import size

PIECE = 64 * 1024
_FIRST_YEAR = 1980  # the earliest that a zip can store
_LAST_YEAR = 2107


def pieces(file: BinaryIO, count: int) -> Iterator[bytes]:
    """The first `count` bytes, without what is appended meanwhile."""
    with file:
        while count > 0 and (piece := file.read(min(PIECE, count))):
            count -= len(piece)
            yield piece


def zipped(workspace: Path, folder: str) -> list[Entry]:
    """The entries of a zip of this folder, without links. Raises `Rejected` if they are too many or
    too large."""
    most = limits().total_bytes
    entries = list(walk(workspace, folder, MAX_ZIPPED_FILES))
    together = sum(entry.size for entry in entries if entry.kind == "file")
    if len(entries) > MAX_ZIPPED_FILES or together > most:
        raise Rejected(
            gettext(
                "A zip file has at most %(most)s files and %(most_2)s; this folder has more. "
                "Download single files instead."
            )
            % {"most": f"{MAX_ZIPPED_FILES:,}", "most_2": size(most)}
        )
    return [entry for entry in entries if entry.kind in ("file", "folder")]


def zip_pieces(workspace: Path, entries: Sequence[Entry], within: str) -> Iterator[bytes]:
    """A zip of these entries, with paths relative to the folder `within`. Files that disappear
    meanwhile are left out."""
    buffer = ZipBuffer()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
        for entry in entries:
            yield from _zip_entry(workspace, entry, within, archive, buffer)
    yield buffer.taken()


async def streamed(source: Iterator[bytes]) -> AsyncIterator[bytes]:
    """The same for an event loop, read in a thread."""
    try:
        while (piece := await asyncio.to_thread(next, source, None)) is not None:
            if piece:
                yield piece
    finally:
        close = getattr(source, "close", None)
        if close is not None:
            await asyncio.to_thread(close)


class ZipBuffer(io.RawIOBase):
    """A buffer for the output of a zip, until it is taken. It cannot seek."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, piece: object) -> int:
        self._pieces.append(bytes(piece))  # type: ignore[call-overload]
        return len(self._pieces[-1])

    def taken(self) -> bytes:
        taken, self._pieces = b"".join(self._pieces), []
        return taken


def _zip_entry(
    workspace: Path, entry: Entry, within: str, archive: zipfile.ZipFile, buffer: ZipBuffer
) -> Iterator[bytes]:
    about = _about(entry, within)
    if entry.kind == "folder":
        archive.writestr(about, b"")
        return
    try:
        file = tree.open_read(workspace, entry.path)
    except ToolError:
        return
    with archive.open(about, "w", force_zip64=entry.size > 1_000_000_000) as target:
        for piece in pieces(file, entry.size):
            target.write(piece)
            yield buffer.taken()
    yield buffer.taken()


def _about(entry: Entry, within: str) -> zipfile.ZipInfo:
    name = shown(entry.path.removeprefix(f"{within}/") if within else entry.path)
    name = name.replace("\\", "_") + ("/" if entry.kind == "folder" else "")
    when = entry.modified
    year = min(_LAST_YEAR, max(_FIRST_YEAR, when.year))
    about = zipfile.ZipInfo(name, (year, when.month, when.day, when.hour, when.minute, when.second))
    about.compress_type = zipfile.ZIP_DEFLATED
    about.external_attr = 0o40755 << 16 | 0x10 if entry.kind == "folder" else 0o100644 << 16
    return about
