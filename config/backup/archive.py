"""The file of a backup: a zip whose members are zstd frames, stored as they are.

A zip, because its directory comes last: members are written as they arrive, without knowing their
size; a file that was cut short is noticed at once; the manifest is read first, and each member
without the others. `unzip` and `zstd -d` open one.
"""

import hashlib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from config.backup.errors import BadArchive
from config.backup.manifest import FILE, Manifest, Member
from host import zstd

_CHUNK = 1 << 20
_LEVEL = 3
_MODE = 0o600 << 16


class _Hashed:
    """A writable stream that knows the SHA-256 and the length of what went through it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._digest = hashlib.sha256()
        self._length = 0

    def write(self, block: bytes) -> int:
        self._digest.update(block)
        self._length += len(block)
        return self._stream.write(block)

    def flush(self) -> None:
        self._stream.flush()

    def member(self) -> Member:
        return Member(self._length, self._digest.hexdigest())


class ArchiveWriter:
    """Writes to any stream, one that cannot seek too; `finish` completes the archive."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED)
        self.members: dict[str, Member] = {}

    @contextmanager
    def compressed(self, name: str) -> Iterator[IO[bytes]]:
        """A stream whose content becomes the member `name`, compressed."""
        with self._zip.open(_entry(name), "w", force_zip64=True) as stored:
            hashed = _Hashed(stored)
            with zstd.ZstdFile(cast(IO[bytes], hashed), "w", level=_LEVEL) as stream:
                yield cast(IO[bytes], stream)
        self.members[name] = hashed.member()

    def write(self, name: str, content: bytes) -> None:
        """A member that is stored as it is."""
        self._zip.writestr(_entry(name), content)
        self.members[name] = Member(len(content), hashlib.sha256(content).hexdigest())

    def finish(self, manifest: Manifest) -> None:
        """Adds the manifest and the directory."""
        self._zip.writestr(_entry(FILE), manifest.to_json())
        self._zip.close()


class ArchiveReader:
    """An archive whose manifest was read. Raises BadArchive."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with _refused(path):
            self._zip = zipfile.ZipFile(path)
            self.manifest = Manifest.from_json(self._zip.read(FILE))
        self._refuse_others()

    def __enter__(self) -> "ArchiveReader":
        return self

    def __exit__(self, *error: object) -> None:
        self._zip.close()

    def verify(self) -> None:
        """Compares the length and the SHA-256 of every member with the manifest's."""
        for name, expected in self.manifest.members.items():
            with _refused(self.path), self._zip.open(name) as stored:
                hashed = _Hashed(cast(IO[bytes], _Nowhere()))
                while block := stored.read(_CHUNK):
                    hashed.write(block)
            if hashed.member() != expected:
                raise BadArchive(f"{self.path} is damaged: {name} is not what was written.")

    def read(self, name: str) -> bytes:
        with _refused(self.path):
            return self._zip.read(name)

    @contextmanager
    def decompressed(self, name: str) -> Iterator[IO[bytes]]:
        with _refused(self.path), self._zip.open(name) as stored, zstd.ZstdFile(stored) as stream:
            yield cast(IO[bytes], stream)

    def _refuse_others(self) -> None:
        """Members that the manifest does not have, has twice, or that are no files."""
        entries = [entry for entry in self._zip.infolist() if entry.filename != FILE]
        if sorted(entry.filename for entry in entries) != sorted(self.manifest.members):
            raise BadArchive(f"{self.path} is damaged: its members are not those of its manifest.")
        if any(entry.external_attr != _MODE for entry in entries):
            raise BadArchive(f"{self.path} has members that are no files; it is not restored.")


class _Nowhere:
    def write(self, block: bytes) -> int:
        return len(block)


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = _MODE
    return entry


@contextmanager
def _refused(path: Path) -> Iterator[None]:
    """What the zip, zstd or the manifest's reader say becomes a sentence."""
    broken: Any = (zipfile.BadZipFile, zstd.ZstdError, EOFError, KeyError, NotImplementedError)
    try:
        yield
    except broken as error:
        raise BadArchive(
            f"{path} is no whole archive of Roundtrip: it was cut short, damaged, or is another"
            f" file ({error})."
        ) from None
