"""The releases with their data."""

import json
import lzma
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Release:
    """`commit`: the first one of the release that `make run` starts. `turns`: of its data."""

    name: str
    commit: str
    turns: int

    def __str__(self) -> str:
        return self.name

    @property
    def database(self) -> Path:
        return FOLDER / f"{self.name}.sqlite3.xz"

    @property
    def keys(self) -> Path:
        return FOLDER / f"{self.name}.keys"

    @property
    def arguments(self) -> Path:
        """What its seeding has said, as JSON."""
        return FOLDER / f"{self.name}.json"

    def make_home(self, home: Path) -> None:
        """A home as the release has left it, in which its database is."""
        (home / "keys").mkdir(parents=True, mode=0o700)
        (home / "keys" / "encryption").write_text(self.keys.read_text())
        (home / "roundtrip.sqlite3").write_bytes(lzma.decompress(self.database.read_bytes()))

    def said(self) -> Any:
        return json.loads(self.arguments.read_text())


RELEASES = (
    # "Add the supervisor, the bootstrap and make run".
    Release("0.1.0", "d08a953a", 8),
    # "A wheel by hatchling …": where the version became 0.2.0.
    Release("0.2.0", "d38c29de", 12),
)
