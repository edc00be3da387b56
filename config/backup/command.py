"""The commands `backup` and `restore`: arguments, messages, exit status.

An archive is checked and its keys are decrypted before Django reads the settings, which would make
keys of their own in an empty home.
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from config import home
from config.backup import folders, keys, passphrases
from config.backup.archive import ArchiveReader
from config.backup.errors import BackupError
from config.backup.keys import Keys
from config.backup.manifest import KEYS, Manifest

_STDOUT = "-"


def add_backup(parser: argparse.ArgumentParser) -> None:
    """The arguments of `backup`."""
    parser.add_argument("file", metavar="FILE", help="file to write; - for standard output")
    parser.add_argument("--force", action="store_true", help="replace FILE if it is there already")
    _add_keys(
        parser,
        "leave the keys out: what is encrypted, such as API keys, can be decrypted "
        "only with a copy of keys/encryption of this home",
    )
    parser.set_defaults(run=backup)


def add_restore(parser: argparse.ArgumentParser) -> None:
    """The arguments of `restore`."""
    parser.add_argument("file", metavar="FILE", type=Path, help="an archive made by backup")
    parser.add_argument("--check", action="store_true", help="only verify the archive")
    _add_keys(parser, "do not restore the keys; keys/encryption has to be copied before the start")
    parser.set_defaults(run=restore)


def _add_keys(parser: argparse.ArgumentParser, without: str) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--without-keys", action="store_true", help=without)
    group.add_argument(
        "--passphrase-file",
        metavar="FILE",
        type=Path,
        help=f"its first line is the passphrase of the keys; default: {passphrases.VARIABLE} in "
        "the environment, else you are asked",
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """`python -m config.backup backup|restore`."""
    parser = argparse.ArgumentParser(prog="python -m config.backup")
    commands = parser.add_subparsers(required=True)
    add_backup(commands.add_parser("backup", help="write an instance into one file"))
    add_restore(commands.add_parser("restore", help="restore one into an empty home"))
    options = parser.parse_args(arguments)
    return int(options.run(options))


def backup(options: argparse.Namespace) -> int:
    """Exit status 0, or 1 with a sentence on stderr."""
    try:
        began = time.monotonic()
        passphrase = None
        if not options.without_keys:
            passphrase = passphrases.read(options.passphrase_file, is_new=True)
        manifest = _back_up(options, passphrase)
    except BackupError as error:
        return _failed(error)
    _say(f"Backed up in {time.monotonic() - began:.1f} s: {_contents(manifest)}.")
    _warn(manifest)
    return 0


def restore(options: argparse.Namespace) -> int:
    """Exit status 0, or 1 with a sentence on stderr."""
    try:
        began = time.monotonic()
        with ArchiveReader(options.file) as archive:
            check(archive)
            if options.check:
                _say(f"{options.file} is whole: {_contents(archive.manifest)}.")
                return 0
            can_decrypt = _restore(archive, _keys(archive, options))
    except BackupError as error:
        return _failed(error)
    _say(f"Restored in {time.monotonic() - began:.1f} s: {_contents(archive.manifest)}.")
    _say("Search finds texts and traces as the product indexes them, from its next start on.")
    if not can_decrypt:
        _say(f"Copy keys/encryption of the original to {home.path() / 'keys'} before the start.")
    return 0


def check(archive: ArchiveReader) -> None:
    """Reads all of it; raises BadArchive."""
    archive.verify()
    for name in archive.manifest.folders:
        with archive.decompressed(folders.member(name)) as stream:
            folders.check(stream)


def _back_up(options: argparse.Namespace, passphrase: str | None) -> Manifest:
    _set_up()
    from config.backup.making import back_up, whole_file

    if options.file == _STDOUT:
        return back_up(sys.stdout.buffer, passphrase)
    with whole_file(Path(options.file), replaces=options.force) as stream:
        return back_up(stream, passphrase)


def _restore(archive: ArchiveReader, restored: Keys | None) -> bool:
    _set_up()
    from config.backup.restoring import restore as into_home

    return into_home(archive, restored)


def _set_up() -> None:
    """Slow, and not for `--check`."""
    import django

    os.umask(0o077)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()


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
        _say(f"{left_out:,} links and unreadable files of workspaces are not in it.")
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
