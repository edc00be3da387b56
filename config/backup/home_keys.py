"""The keys of the archive and those that a home or the environment has, brought together.

A key of the environment stays there. What is in the files of the home stays behind the archive's
keys, of which the first one encrypts; a key that signs is replaced, since an empty home has signed
nothing.
"""

import os
import secrets

from config import keys as own
from config.backup.errors import BadTarget
from config.backup.keys import Keys

ADVICE = (
    f"the file keys/encryption of the original into the home, or its content into"
    f" {own.ENCRYPTION.variable}"
)
_NBYTES = 48


def lend(restored: Keys | None) -> dict[str, list[str]]:
    """Gives this process its keys, so that reading the settings makes none in the home; returns
    what the files in `keys/` will be. Without keys, those of this process are its own.

    Raises BadTarget if the environment has other keys than the archive.
    """
    files: dict[str, list[str]] = {}
    for key in own.ALL:
        archived = _archived(restored, key)
        given = own.text(key.variable).split()
        if given:
            _refuse_others(key, archived, given)
            continue
        lent = merged(archived, key.file.read_text().split() if key.file.exists() else [])
        if archived:
            files[key.file_name] = lent if key == own.ENCRYPTION else archived
        os.environ[key.variable] = " ".join(lent) or secrets.token_urlsafe(_NBYTES)
    return files


def merged(archived: list[str], present: list[str]) -> list[str]:
    """The archive's keys in their order, then what the home has."""
    return list(dict.fromkeys([*archived, *present]))


def _archived(restored: Keys | None, key: own.Key) -> list[str]:
    if restored is None:
        return []
    return restored.encryption if key == own.ENCRYPTION else [restored.django]


def _refuse_others(key: own.Key, archived: list[str], given: list[str]) -> None:
    if key == own.ENCRYPTION and not set(archived) <= set(given):
        raise BadTarget(
            f"{key.variable} does not have the keys of the archive. Unset it for the restore, which"
            f" then writes {key.file}; or leave the keys out with --without-keys."
        )
