"""Uploaded files on disk, and the conversations in zips.

A zip's files of conversations are unpacked behind each other into one file, after the images that
they refer to, so that everything after this reads one plain file.
"""

import io
import re
import struct
import time
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, Protocol
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext as _

from chat import storage
from chat.transfer import zipped_images
from chat.transfer.errors import BrokenFile
from limits.transfer import (
    MAX_IMPORT_AGE,
    MAX_IMPORT_BYTES,
    MAX_ZIP_DIRECTORY_BYTES,
    MAX_ZIPPED_IMPORTS,
)
from tracing.formatting.figures import size

_PIECE = 1 << 20
# ChatGPT splits large exports: conversations-000.json, conversations-001.json, …
_CONVERSATIONS = re.compile(r"(?:.*/)?conversations(?:[-_]\d+)?\.json", re.IGNORECASE)
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, struct.error),
    *(EOFError, NotImplementedError, OSError, OverflowError, RuntimeError, ValueError),
)
# The record at the end of a zip, after it a comment, before it what points to a record of zip64
# (APPNOTE.TXT, 4.3.15 and 4.3.16).
_END, _END_LENGTH, _COMMENT_LENGTH = b"PK\5\6", 22, 0xFFFF
_ZIP64, _ZIP64_LENGTH = b"PK\6\7", 20


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def folder() -> Path:
    """Where uploaded files wait; created if it is missing."""
    path = Path(settings.HOME) / "imports"
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def path_of(public_id: UUID) -> Path:
    return folder() / f"{public_id}.json"


def keep(public_id: UUID, source: Readable) -> int:
    """Writes an upload; its bytes. Raises BrokenFile beyond the limit, and keeps nothing."""
    target = path_of(public_id)
    try:
        with target.open("xb") as file:
            return _copy(source, file)
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def remove(public_id: UUID) -> None:
    path_of(public_id).unlink(missing_ok=True)


def remove_others(kept: Iterable[UUID]) -> None:
    """Removes old files but those of these imports; one that is being uploaded is not old."""
    names = {path_of(public_id).name for public_id in kept}
    before = time.time() - MAX_IMPORT_AGE.total_seconds()
    for path in folder().iterdir():
        if path.name.removesuffix(".part") not in names and path.stat().st_mtime < before:
            path.unlink(missing_ok=True)


def unpack(public_id: UUID) -> int:
    """Replaces a zip by the conversations in it; the bytes of the plain file. Raises BrokenFile."""
    path = path_of(public_id)
    if not zipfile.is_zipfile(path) or _is_json(path):
        return path.stat().st_size
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as file:
            length = _unpack(path, file)
        part.replace(path)
        return length
    finally:
        part.unlink(missing_ok=True)


def _is_json(path: Path) -> bool:
    """Whether it begins like JSON: a zip's directory may stand at the end of any file."""
    with path.open("rb") as file:
        return file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"[", b"{")


def _unpack(path: Path, target: BinaryIO) -> int:
    length = 0
    _check_directory(path)
    try:
        with zipfile.ZipFile(path) as archive:
            members = _members(archive)
            unpacked = sum(one.file_size for one in members)
            storage.check_disk(min(unpacked, MAX_IMPORT_BYTES))
            for piece in zipped_images.as_attachments(archive):
                length = _copy(io.BytesIO(piece), target, length)
            for about in members:
                with archive.open(about) as member:
                    length = _copy(member, target, length)
                target.write(b"\n")
    except _DAMAGED as error:
        sentence = _("The zip is damaged or encrypted: %(error)s.")
        raise BrokenFile(sentence % {"error": error}) from None
    return target.tell()


def _check_directory(path: Path) -> None:
    """Raises BrokenFile for a directory that is too long to be read as a whole, which is how Python
    reads it. zip64 is refused too: of this size only a zip of more than 65,535 files needs it."""
    most = _ZIP64_LENGTH + _END_LENGTH + _COMMENT_LENGTH
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - most))
        tail = file.read()
    has_comment = not (tail[-_END_LENGTH:].startswith(_END) and tail.endswith(b"\0\0"))
    at = tail.rfind(_END) if has_comment else len(tail) - _END_LENGTH
    length = int.from_bytes(tail[at + 12 : at + 16], "little")
    is_zip64 = tail[: max(0, at)][-_ZIP64_LENGTH:].startswith(_ZIP64)
    if is_zip64 or length > MAX_ZIP_DIRECTORY_BYTES:
        raise BrokenFile(_("The zip has too many files. Pack the conversations alone."))


def _members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The files of conversations; without one of that name, all files of JSON."""
    files = [one for one in archive.infolist() if not one.is_dir()]
    named = [one for one in files if _CONVERSATIONS.fullmatch(one.filename)]
    members = named or [one for one in files if one.filename.lower().endswith((".json", ".jsonl"))]
    if not members:
        raise BrokenFile(_("The zip has no “conversations.json” and no other file of JSON."))
    if len(members) > MAX_ZIPPED_IMPORTS:
        raise BrokenFile(
            _("The zip has %(count)s files of JSON; the limit is %(most)s.")
            % {"count": f"{len(members):,}", "most": f"{MAX_ZIPPED_IMPORTS:,}"}
        )
    if not all(map(zipped_images.is_read_by_pieces, members)):
        raise NotImplementedError("it is compressed by another method than Deflate")
    return sorted(members, key=lambda one: one.filename)


def _copy(source: Readable, target: BinaryIO, length: int = 0) -> int:
    """Copies to the end; the length with that of before. What a zip says of its sizes does not
    count."""
    while piece := source.read(_PIECE):
        length += len(piece)
        if length > MAX_IMPORT_BYTES:
            raise too_large()
        target.write(piece)
    return length


def too_large() -> BrokenFile:
    most = size(MAX_IMPORT_BYTES)
    return BrokenFile(
        _("The file has more than %(most)s, unpacked. Split it, and import the parts.")
        % {"most": most}
    )
