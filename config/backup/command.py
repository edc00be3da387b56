"""What `roundtrip backup` and `roundtrip restore` do: messages and exit status.

An archive is checked and its keys are decrypted before Django reads the settings, which need keys.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from config.backup import folders, home_keys, keys, passphrases
from config.backup.archive import ArchiveReader
from config.backup.errors import BackupError
from config.backup.keys import Keys
from config.backup.manifest import KEYS, Manifest

_STDOUT = "-"
SetUp = Callable[[], None]


def backup(options: argparse.Namespace, set_up: SetUp) -> int:
    """Exit status 0, or 1 with a sentence on stderr."""
    began = time.monotonic()
    try:
        passphrase = None
        if not options.without_keys:
            passphrase = passphrases.read(options.passphrase_file, is_new=True)
        set_up()
        manifest = _back_up(options, passphrase)
    except BackupError as error:
        return _failed(error)
    _say(f"Backed up in {time.monotonic() - began:.1f} s: {_contents(manifest)}.")
    _warn(manifest)
    return 0


def restore(options: argparse.Namespace, set_up: SetUp) -> int:
    """Exit status 0, or 1 with a sentence on stderr."""
    began = time.monotonic()
    try:
        with ArchiveReader(options.file) as archive:
            check(archive)
            if options.check:
                _say(f"{options.file} is whole: {_contents(archive.manifest)}.")
                return 0
            files = home_keys.lend(_keys(archive, options))
            set_up()
            can_decrypt = _restore(archive, files)
    except BackupError as error:
        return _failed(error)
    _say(f"Restored in {time.monotonic() - began:.1f} s: {_contents(archive.manifest)}.")
    _say("Search finds texts and traces as the workers index them, from the next start on.")
    if not can_decrypt:
        _say(f"Before the start, put {home_keys.ADVICE}.")
    return 0


def check(archive: ArchiveReader) -> None:
    """Reads all of it; raises BadArchive."""
    archive.verify()
    for name in archive.manifest.folders:
        with archive.decompressed(folders.member(name)) as stream:
            folders.check(stream)


def _back_up(options: argparse.Namespace, passphrase: str | None) -> Manifest:
    from config.backup.making import back_up, whole_file

    os.umask(0o077)
    if options.file == _STDOUT:
        return back_up(sys.stdout.buffer, passphrase)
    with whole_file(Path(options.file), replaces=options.force) as stream:
        return back_up(stream, passphrase)


def _restore(archive: ArchiveReader, files: dict[str, list[str]]) -> bool:
    from config.backup.restoring import restore as into_home

    os.umask(0o077)
    return into_home(archive, files)


def _keys(archive: ArchiveReader, options: argparse.Namespace) -> Keys | None:
    if options.without_keys or not archive.manifest.has_keys:
        return None
    return keys.decrypt(archive.read(KEYS), passphrases.read(options.passphrase_file, is_new=False))


def _contents(manifest: Manifest) -> str:
    rows = sum(table.rows for table in manifest.tables.values())
    files = sum(folder.files for folder in manifest.folders.values())
    size = sum(member.size for member in manifest.members.values())
    kept = "with keys" if manifest.has_keys else "without keys"
    return f"{rows:,} rows, {files:,} files, {kept}, {size / 1e6:,.1f} MB"


def _warn(manifest: Manifest) -> None:
    left_out = sum(folder.left_out for folder in manifest.folders.values())
    if left_out:
        _say(f"{left_out:,} links and unreadable files are not in it.")
    if not manifest.has_keys:
        _say(
            "Keys are not in it: keep a copy of keys/encryption, without which API keys, tokens "
            "and environments of servers have to be entered again."
        )


def _failed(error: BackupError) -> int:
    _say(str(error))
    return 1


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
