"""Writes an archive of the instance of this home, which may run meanwhile.

First the snapshot of the database is taken, then the files are read, then the rows of the snapshot.
A file is written before the row that tells of it; so what a row in the archive tells of is in the
archive, unless it was deleted while the files were read. A file of a row that is newer than the
snapshot may be there without it, which is what a process that was killed leaves too.
"""

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import connection

from config.backup import folders, keys, schema
from config.backup.archive import ArchiveWriter
from config.backup.errors import BackupError
from config.backup.folders import FolderWriter
from config.backup.keys import Keys
from config.backup.loading import header
from config.backup.manifest import KEYS, Manifest, TableFacts
from config.backup.snapshot import Snapshot, open_snapshot
from config.backup.tables import Table, tables_of
from config.release import version


def back_up(stream: IO[bytes], passphrase: str | None) -> Manifest:
    """Writes the archive; None as passphrase leaves the keys out. Raises BackupError."""
    tables = tables_of(schema.apps_of_database())
    with open_snapshot() as snapshot:
        archive = ArchiveWriter(stream)
        manifest = Manifest(
            product=version(),
            created=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
            database=connection.vendor,
            migrations=snapshot.applied(),
            members=archive.members,
        )
        _write_folders(archive, manifest)
        for table in tables:
            manifest.tables[table.name] = _write_table(archive, snapshot, table)
    if passphrase is not None:
        own = Keys(settings.SECRET_KEY, list(settings.ENCRYPTION_KEYS))
        archive.write(KEYS, keys.encrypt(own, passphrase))
    archive.finish(manifest)
    return manifest


def _write_folders(archive: ArchiveWriter, manifest: Manifest) -> None:
    for name in folders.NAMES:
        root = Path(settings.HOME) / name
        if root.is_dir():
            writer = FolderWriter(root)
            with archive.compressed(folders.member(name)) as stream:
                writer.write(stream)
            manifest.folders[name] = writer.facts


def _write_table(archive: ArchiveWriter, snapshot: Snapshot, table: Table) -> TableFacts:
    count = 0
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    with archive.compressed(table.member) as stream:
        stream.write(f"{encode(header(table))}\n".encode())
        for row in snapshot.rows(table):
            stream.write(f"{encode(row)}\n".encode())
            count += 1
    return TableFacts(count, snapshot.last_key(table) if table.is_counted else 0)


@contextmanager
def whole_file(path: Path, *, replaces: bool) -> Iterator[IO[bytes]]:
    """A stream whose content becomes the file `path` at the end of the block, all of it or nothing.

    Readable by its owner only. Raises BackupError if there is one already, unless `replaces`.
    """
    if path.exists() and not replaces:
        raise BackupError(f"{path} is there already. Give another name, or --force to replace it.")
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise BackupError(f"{path} cannot be written: {error.strerror or error}.") from None
    finally:
        draft.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
