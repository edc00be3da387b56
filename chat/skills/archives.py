"""What somebody uploads, as the files that it would become. Nothing is written here.

An archive may lie about everything: what it unpacks to is counted as it is read, and whatever is no
plain file with a plain relative path is refused, with what it was.
"""

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO

from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext

from chat.agent.skill_files import FILE
from chat.errors import Rejected
from languages.later import later
from limits.chat import MAX_SKILL_FILES
from limits.files import MAX_ARCHIVE_DEPTH, MAX_ARCHIVE_ENTRIES, MAX_ARCHIVE_NAME_BYTES
from tracing.formatting.figures import size

# Of systems, not of skills.
_NOISE = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", ".git")
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, struct.error),
    *(EOFError, OSError, OverflowError, RuntimeError, ValueError),
)


@dataclass(frozen=True)
class Entry:
    """A file of a skill: where it stands in the skill's folder, and what is in it."""

    path: PurePosixPath
    content: bytes
    executable: bool = False


@dataclass(frozen=True)
class Bundle:
    """The files of one skill, and the name of the folder that they lay in, or "" for none."""

    folder: str
    entries: Sequence[Entry]


def from_zip(file: IO[bytes], most: int) -> Bundle:
    """The one skill of an archive that unpacks to at most so many bytes. Raises `Rejected`."""
    try:
        if file.read().count(b"PK\x01\x02") > MAX_ARCHIVE_ENTRIES:
            raise Rejected(
                gettext("The archive has more than %(most)s entries.")
                % {"most": f"{MAX_ARCHIVE_ENTRIES:,}"}
            )
        file.seek(0)
        with zipfile.ZipFile(file) as archive:
            return _bundle(_unpacked(archive, most))
    except _BROKEN as error:
        said = " ".join(str(error).split())[:200] or type(error).__name__
        raise Rejected(
            gettext("This is no zip archive that can be read: %(said)s.") % {"said": said}
        ) from None


def from_files(files: Sequence["UploadedFile[bytes]"], paths: Sequence[str], most: int) -> Bundle:
    """The one skill of a folder whose files were chosen; `paths` are theirs. Raises `Rejected`."""
    if len(files) != len(paths):
        raise Rejected(gettext("The paths of the files are missing. Choose the folder again."))
    if sum(file.size or 0 for file in files) > most:
        raise Rejected(_TOO_LARGE.format(size(most)))
    named = [(_path(name), file) for name, file in zip(paths, files, strict=True)]
    return _bundle(Entry(path, file.read()) for path, file in named if not _is_noise(path))


_TOO_LARGE = later("The files have more than {}, the most that a skill may have.")


def _unpacked(archive: zipfile.ZipFile, most: int) -> Iterable[Entry]:
    room = most
    for entry in archive.infolist():
        path = _path(entry.filename)
        if entry.is_dir() or _is_noise(path):
            continue
        _refuse_kind(entry)
        # One byte more than there is room for tells that there is more.
        with archive.open(entry) as packed:
            content = packed.read(room + 1)
        room -= len(content)
        if room < 0:
            raise Rejected(_TOO_LARGE.format(size(most)))
        yield Entry(path, content, bool(entry.external_attr >> 16 & stat.S_IXUSR))


def _refuse_kind(entry: zipfile.ZipInfo) -> None:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind == stat.S_IFLNK:
        raise Rejected(
            gettext("%(filename)s is a link. A skill can contain only regular files.")
            % {"filename": repr(entry.filename)}
        )
    if kind not in (0, stat.S_IFREG):
        raise Rejected(
            gettext("%(filename)s is not a regular file.") % {"filename": repr(entry.filename)}
        )
    if entry.flag_bits & 1:
        raise Rejected(gettext("The archive is encrypted. Upload it without a password."))
    if entry.compress_type not in _PACKINGS:
        raise Rejected(
            gettext("%(filename)s is not packed by deflate. Pack it as usual.")
            % {"filename": repr(entry.filename)}
        )


def _path(name: str) -> PurePosixPath:
    """A relative path of plain names. Raises `Rejected`."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name:
        raise Rejected(
            gettext("%(name)s is outside of the skill's folder.") % {"name": repr(name[:200])}
        )
    if not path.parts or not name.isprintable():
        raise Rejected(gettext("%(name)s is not a valid file name.") % {"name": repr(name[:200])})
    if len(path.parts) > MAX_ARCHIVE_DEPTH or any(
        len(part.encode()) > MAX_ARCHIVE_NAME_BYTES for part in path.parts
    ):
        raise Rejected(gettext("The path %(name)s… is too long.") % {"name": repr(name[:80])})
    return path


def _is_noise(path: PurePosixPath) -> bool:
    return any(part in _NOISE for part in path.parts)


def _bundle(found: Iterable[Entry]) -> Bundle:
    entries: list[Entry] = []
    for entry in found:
        entries.append(entry)
        if len(entries) > MAX_SKILL_FILES:
            raise Rejected(
                gettext("A skill has at most %(most)s files.") % {"most": MAX_SKILL_FILES}
            )
    root = _root(entries)
    outside = [entry for entry in entries if root not in entry.path.parents]
    if outside:
        raise Rejected(
            gettext("%(path)s lies beside the skill's folder %(root)s. Upload that folder alone.")
            % {"path": repr(str(outside[0].path)), "root": repr(str(root))}
        )
    inside = [
        Entry(entry.path.relative_to(root), entry.content, entry.executable) for entry in entries
    ]
    _refuse_twice(inside)
    return Bundle(root.name, inside)


def _root(entries: Sequence[Entry]) -> PurePosixPath:
    """The folder of the one `SKILL.md`."""
    found = [entry.path.parent for entry in entries if entry.path.name == FILE]
    if not found:
        raise Rejected(
            gettext("%(file)s is missing. A skill is a folder with that file.") % {"file": FILE}
        )
    if len(found) > 1:
        raise Rejected(
            gettext("There are %(count)s files %(file)s in it. Upload one skill at a time.")
            % {"count": len(found), "file": FILE}
        )
    return found[0]


def _refuse_twice(entries: Sequence[Entry]) -> None:
    """Two files of one name, or a file where another needs a folder."""
    paths = [entry.path for entry in entries]
    folders = {parent for path in paths for parent in path.parents}
    for at, path in enumerate(paths):
        if path in folders or path in paths[:at]:
            raise Rejected(gettext("%(path)s is there twice.") % {"path": repr(str(path))})
