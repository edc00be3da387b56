"""Restores an archive into an empty home and an empty database.

    check ─► folders beside their places ─► tables of the archive's state ─► rows
          ─► folders and keys in their places ─► database in its place ─► newer migrations

Nothing is seen before all rows are there. On SQLite newer migrations run before the file gets its
name; on PostgreSQL after the commit, as those of an upgrade, which the next start goes on with.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile

from django.db import DatabaseError, connection, transaction
from django.db.migrations.recorder import MigrationRecorder

from config.accounts import key_proofs
from config.backup import schema, target
from config.backup.archive import ArchiveReader
from config.backup.errors import BackupError, BadArchive, BadTarget
from config.backup.loading import load
from config.backup.manifest import Manifest
from config.backup.placing import Placing
from config.keys import ENCRYPTION
from config.release import version
from tools import encryption


def restore(archive: ArchiveReader, key_files: dict[str, list[str]]) -> bool:
    """Restores an archive that was verified, with these files in `keys/`; whether this process can
    decrypt what is encrypted in the database. Raises BackupError."""
    with target.held_home() as home, _told("Nothing was restored."):
        target.refuse_used(home)
        _refuse_other_state(archive.manifest)
        with Placing(home, key_files) as placing:
            placing.extract(archive)
            with target.new_database():
                _fill(archive, placing)
    if _is_postgresql():
        with _told("All rows are restored. The next start goes on with the migrations."):
            schema.bring_up_to_date()
    return encryption.fits_database() and ENCRYPTION.file_name not in key_proofs.foreign_keys()


def _fill(archive: ArchiveReader, placing: Placing) -> None:
    with transaction.atomic():
        if not target.has_tables():
            schema.bring_to(archive.manifest.migrations)
        load(archive, schema.apps_of_database())
        if _is_postgresql():
            placing.place()
    if not _is_postgresql():
        schema.bring_up_to_date()
        placing.place()


def _refuse_other_state(manifest: Manifest) -> None:
    archived = {(app, name) for app, name, _ in manifest.migrations}
    if _numbers(manifest.product) > _numbers(version()) or not schema.is_known(archived):
        raise BadArchive(
            f"The archive was made by Roundtrip {manifest.product}, and this is"
            f" {version()}: restore it with that version or a newer one."
        )
    if target.has_tables():
        applied = set(MigrationRecorder(connection).applied_migrations())
        if applied != archived:
            raise BadTarget(
                "The database has the empty tables of another version. Name a database without any"
                " tables: they are made as the archive needs them."
            )


def _numbers(release: str) -> list[int]:
    """Of `0.2.0`; what follows numbers is not compared."""
    parts = release.split(".")
    return [int(part) for part in takewhile(str.isdecimal, parts)]


@contextmanager
def _told(state: str) -> Iterator[None]:
    """What disk and database say becomes a sentence, followed by `state`."""
    try:
        yield
    except (OSError, DatabaseError) as error:
        raise BackupError(f"The restore stopped: {str(error).strip()}. {state}") from error


def _is_postgresql() -> bool:
    return connection.vendor == "postgresql"
