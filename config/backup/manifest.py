"""The manifest of an archive: `manifest.json`, written last and read first.

Its format is versioned: a reader refuses a newer one, and of the same one it knows every field.
"""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from config.backup.errors import BadArchive

FILE = "manifest.json"
FORMAT = 1
KEYS = "keys.json"


@dataclass(frozen=True)
class Member:
    """Bytes and SHA-256 (hex digits) as stored in the archive."""

    size: int
    sha256: str


@dataclass(frozen=True)
class TableFacts:
    """Count of rows; the largest key that was ever given, 0 for keys that are not counted up."""

    rows: int
    last_key: int = 0


@dataclass(frozen=True)
class FolderFacts:
    """Counts of files, of their bytes, and of links and other things that are left out."""

    files: int
    size: int
    left_out: int = 0


@dataclass
class Manifest:
    """`database`: "sqlite" or "postgresql". `migrations`: app, name and the time of each that was
    applied, in their order. `members`: by name, all but the manifest."""

    product: str
    created: str
    database: str
    migrations: list[tuple[str, str, str]]
    format: int = FORMAT
    tables: dict[str, TableFacts] = field(default_factory=dict)
    folders: dict[str, FolderFacts] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)

    @property
    def has_keys(self) -> bool:
        return KEYS in self.members

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1)

    @classmethod
    def from_json(cls, text: bytes) -> "Manifest":
        """Raises BadArchive."""
        try:
            stored = json.loads(text)
            written = stored["format"]
            if written > FORMAT:
                raise BadArchive(
                    f"The archive has format {written}, and this version of Roundtrip reads up to"
                    f" {FORMAT}. Restore it with Roundtrip {stored['product']} or newer."
                )
            return cls(**_read(stored))
        except (ValueError, KeyError, TypeError) as error:
            raise BadArchive(f"The archive's manifest cannot be read ({error}).") from None


def _read(stored: dict[str, Any]) -> dict[str, Any]:
    return stored | {
        "migrations": [(app, name, at) for app, name, at in stored["migrations"]],
        "tables": {name: TableFacts(**facts) for name, facts in stored["tables"].items()},
        "folders": {name: FolderFacts(**facts) for name, facts in stored["folders"].items()},
        "members": {name: Member(**facts) for name, facts in stored["members"].items()},
    }
