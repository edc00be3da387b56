"""Folders and keys of an archive, first beside their places in the home, then in them."""

import os
import shutil
from pathlib import Path

from config.backup import folders
from config.backup.archive import ArchiveReader

_DRAFTS = ".restoring"


class Placing:
    """As a context manager: an error takes back what was placed, and drafts are gone at its end."""

    def __init__(self, home: Path, key_files: dict[str, list[str]]) -> None:
        self._home = home
        self._key_files = key_files
        self._drafts = home / _DRAFTS
        self._placed: list[Path] = []
        self._former_keys: dict[Path, str | None] = {}

    def __enter__(self) -> "Placing":
        shutil.rmtree(self._drafts, ignore_errors=True)
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        if kind is not None:
            self._take_back()
        shutil.rmtree(self._drafts, ignore_errors=True)

    def extract(self, archive: ArchiveReader) -> None:
        """Raises BadArchive and OSError."""
        for name in archive.manifest.folders:
            with archive.decompressed(folders.member(name)) as stream:
                folders.extract(stream, self._drafts / name)

    def place(self) -> None:
        """The places have to be empty."""
        for draft in sorted(self._drafts.glob("*")):
            place = self._home / draft.name
            if place.is_dir():
                place.rmdir()
            draft.rename(place)
            self._placed.append(place)
        for name, keys in self._key_files.items():
            self._write_key(name, keys)

    def _write_key(self, name: str, keys: list[str]) -> None:
        file = self._home / "keys" / name
        file.parent.mkdir(mode=0o700, exist_ok=True)
        self._former_keys[file] = file.read_text() if file.exists() else None
        _write(file, "".join(f"{key}\n" for key in keys))

    def _take_back(self) -> None:
        for place in self._placed:
            shutil.rmtree(place, ignore_errors=True)
        for file, text in self._former_keys.items():
            if text is None:
                file.unlink(missing_ok=True)
            else:
                _write(file, text)


def _write(file: Path, text: str) -> None:
    draft = file.with_name(f".{file.name}.restoring")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(file)
