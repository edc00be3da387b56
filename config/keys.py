"""Secret values of the environment, and the keys of the database. Standard library only.

A value is in the variable NAME, or in the file that NAME_FILE names, as secrets of containers are
mounted. A key of the database may be in the home too, where it is made at the first start. A
database on PostgreSQL may have processes on many machines: there only `config.prepare` makes keys,
and a process that lacks one is refused rather than given another.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from config import home

MIN_LENGTH = 32


class UnusableKey(Exception):
    """A key is missing or cannot be read; the message is a sentence that says which."""


class Key(NamedTuple):
    """A key of the database: its file in `keys/`, its variable, and how it is made."""

    file_name: str
    variable: str
    nbytes: int

    @property
    def file(self) -> Path:
        return home.path() / "keys" / self.file_name


SIGNING = Key("django", "ROUNDTRIP_SECRET_KEY", 48)
ENCRYPTION = Key("encryption", "ROUNDTRIP_ENCRYPTION_KEY", 32)
ALL = (SIGNING, ENCRYPTION)


def text(name: str, environment: Mapping[str, str] | None = None) -> str:
    """The value of NAME, or the content of the file NAME_FILE; "" without both.

    Raises UnusableKey if both are set, or if the file has no text.
    """
    environment = os.environ if environment is None else environment
    value, file = environment.get(name) or "", environment.get(f"{name}_FILE") or ""
    if not file:
        return value
    if value:
        raise UnusableKey(f"{name} and {name}_FILE are both set; set one of them.")
    try:
        value = Path(file).read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UnusableKey(f"{name}_FILE names {file}, which cannot be read: {error}.") from None
    if not value:
        raise UnusableKey(f"{name}_FILE names {file}, which is empty.")
    return value


def with_files(environment: Mapping[str, str], *names: str) -> dict[str, str]:
    """The environment, in which these variables have the content of their files."""
    return {**environment, **{name: text(name, environment) for name in names}}


def read(key: Key, is_made: bool) -> str:
    """The key, from the environment or the home; one that is missing is made, if `is_made`.

    Raises UnusableKey.
    """
    value = text(key.variable)
    if value:
        if min(map(len, value.split()), default=0) < MIN_LENGTH:
            raise UnusableKey(f"{key.variable} has to have at least {MIN_LENGTH} characters.")
        return value
    if not is_made and not key.file.exists():
        raise UnusableKey(missing(key))
    return home.secret(key.file_name, key.nbytes)


def missing(key: Key) -> str:
    return (
        f"The key {key.variable} is missing: it is neither in the environment, nor named by "
        f"{key.variable}_FILE, nor in {key.file}. All processes of a database need the same key; "
        "`roundtrip migrate` makes it for a new database."
    )


def make_missing() -> list[Key]:
    """Makes the keys that neither the environment nor the home has, and answers which."""
    made = [key for key in ALL if not text(key.variable) and not key.file.exists()]
    for key in made:
        home.secret(key.file_name, key.nbytes)
    return made


def forget(made: list[Key]) -> None:
    """Deletes the files of keys that were just made."""
    for key in made:
        key.file.unlink(missing_ok=True)
