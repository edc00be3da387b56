"""backup, restore."""

import argparse
from pathlib import Path

from config.backup import command, passphrases
from config.command_line.command import COMMON_VARIABLES, Command
from config.command_line.django_setup import set_up

_ENVIRONMENT = (
    COMMON_VARIABLES
    + f"""\
  {passphrases.VARIABLE}
                   passphrase of the keys in the archive
"""
)
_EXIT_CODES = "\nexit codes:\n  0   done\n  1   it failed, and a sentence says why"


def _add_keys(parser: argparse.ArgumentParser, without: str) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--passphrase-file",
        metavar="FILE",
        type=Path,
        help=f"its first line is the passphrase of the keys (default: {passphrases.VARIABLE}, "
        "else you are asked)",
    )
    group.add_argument("--without-keys", action="store_true", help=without)


def _backup_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="file to write; - for standard output")
    parser.add_argument("--force", action="store_true", help="replace FILE if it is there already")
    _add_keys(
        parser,
        "leave the keys out: API keys, tokens and environments of servers can then be decrypted "
        "only with a copy of keys/encryption",
    )


def _restore_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help="an archive that backup has made")
    parser.add_argument("--check", action="store_true", help="only verify the archive")
    _add_keys(parser, "do not restore the keys; put keys/encryption into the home yourself")


COMMANDS = {
    "backup": Command(
        about="Writes the database, the keys, workspaces, skills and uploads into one file, while\n"
        "the product runs. The keys are encrypted with a passphrase; all else is as readable as\n"
        "the database itself. FILE appears when it is complete, readable by its owner only.",
        run=lambda options: command.backup(options, set_up),
        add_options=_backup_options,
        ending=_ENVIRONMENT
        + _EXIT_CODES
        + """; FILE is as it was

examples:
  roundtrip backup roundtrip-$(date +%F).zip
  roundtrip backup --passphrase-file /etc/roundtrip/passphrase /backups/today.zip
  roundtrip backup --without-keys - | ssh backup.example 'cat > roundtrip.zip'
""",
    ),
    "restore": Command(
        about="Restores an archive into an empty home and an empty database, SQLite or\n"
        "PostgreSQL, whichever it was made of. The archive is verified before anything is\n"
        "changed. Migrations since its version are applied.",
        run=lambda options: command.restore(options, set_up),
        add_options=_restore_options,
        ending=_ENVIRONMENT
        + _EXIT_CODES
        + """ and what is left

examples:
  roundtrip restore --check roundtrip-2026-11-23.zip
  ROUNDTRIP_HOME=/srv/new roundtrip restore roundtrip-2026-11-23.zip
  DATABASE_URL=postgres://user@host/name ROUNDTRIP_HOME=/srv/new roundtrip restore today.zip
""",
    ),
}
