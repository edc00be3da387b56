"""Where the passphrase of an archive's keys comes from: a file, the environment, or a prompt.

Never from an argument: those of a process are seen by everybody on the machine, and kept in the
history of a shell.
"""

import getpass
import os
import sys
from pathlib import Path

from config.backup.errors import BadPassphrase

VARIABLE = "ROUNDTRIP_BACKUP_PASSPHRASE"
_MIN_LENGTH = 8


def read(file: Path | None, *, is_new: bool) -> str:
    """The first line of `file`, else the variable's value, else what is typed: twice if `is_new`.
    Raises BadPassphrase."""
    passphrase = _of_file(file) if file else os.environ.get(VARIABLE) or _typed(is_new)
    if is_new and len(passphrase) < _MIN_LENGTH:
        raise BadPassphrase(f"The passphrase has to have {_MIN_LENGTH} characters at least.")
    return passphrase


def _of_file(file: Path) -> str:
    try:
        return file.read_text().partition("\n")[0].rstrip("\r")
    except (OSError, ValueError) as error:
        raise BadPassphrase(f"The passphrase cannot be read from {file}: {error}.") from None


def _typed(is_new: bool) -> str:
    if not sys.stdin.isatty():
        raise BadPassphrase(
            f"The keys need a passphrase: give --passphrase-file FILE, or set {VARIABLE}; or"
            " leave them out with --without-keys."
        )
    passphrase = getpass.getpass("Passphrase of the keys in the archive: ")
    if is_new and getpass.getpass("The same again: ") != passphrase:
        raise BadPassphrase("The two passphrases differ.")
    return passphrase
