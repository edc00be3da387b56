"""A value of a column as archives have it: JSON, alike for SQLite and PostgreSQL.

| kind       | JSON                                                                          |
|------------|-------------------------------------------------------------------------------|
| `integer`  | number                                                                        |
| `float`    | number                                                                        |
| `boolean`  | `true`, `false`                                                               |
| `text`     | text; also the kind of IP addresses                                           |
| `json`     | the text of the JSON, as stored                                               |
| `bytes`    | base64; `["…"]`, a text that SQLite keeps in a column of bytes                |
| `uuid`     | 32 hex digits                                                                 |
| `moment`   | `2026-11-23 20:15:00.123456`, UTC, as Django writes it on SQLite              |
| `date`     | `2026-11-23`                                                                  |
| `time`     | `20:15:00.123456`                                                             |
| `decimal`  | digits, with all places of the column                                         |

NULL is `null`.
"""

import binascii
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any

from django.db.models import Field

from config.backup.errors import BackupError

Convert = Callable[[Any], Any]

_KINDS = {
    "AutoField": "integer",
    "BigAutoField": "integer",
    "BigIntegerField": "integer",
    "BinaryField": "bytes",
    "BooleanField": "boolean",
    "CharField": "text",
    "DateField": "date",
    "DateTimeField": "moment",
    "DecimalField": "decimal",
    "FloatField": "float",
    "GenericIPAddressField": "address",
    "IntegerField": "integer",
    "JSONField": "json",
    "PositiveBigIntegerField": "integer",
    "PositiveIntegerField": "integer",
    "PositiveSmallIntegerField": "integer",
    "SlugField": "text",
    "SmallIntegerField": "integer",
    "TextField": "text",
    "TimeField": "time",
    "UUIDField": "uuid",
}
# What PostgreSQL is asked for, as COPY gives it; others are the column itself.
_SELECTED = {
    "address": "host({})",
    "date": "to_char({}, 'YYYY-MM-DD')",
    "decimal": "{}::text",
    "json": "{}::text",
    "moment": "to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')",
    "time": "to_char({}, 'HH24:MI:SS.US')",
    "uuid": "replace({}::text, '-', '')",
}
_COPIED = {"boolean": "bool", "bytes": "bytea", "float": "float8", "integer": "int8"}
# SQLite keeps decimals as floating point numbers: Django reads so many digits of them.
_DIGITS = Context(prec=15)
_NO_MICROSECONDS = ".000000"


@dataclass(frozen=True)
class Column:
    """`places`: after the point, of a decimal."""

    name: str
    kind: str
    places: int = 0

    def selected(self) -> str:
        """The expression for PostgreSQL, whose value `from_postgresql` takes."""
        return _SELECTED.get(self.kind, "{}").format(f'"{self.name}"')

    def copied(self) -> str:
        """PostgreSQL's type of that expression."""
        return _COPIED.get(self.kind, "text")


def column(field: "Field[Any, Any]") -> Column:
    """Raises BackupError for a type of field that is not known here."""
    origin: Any = field
    while origin.remote_field:
        origin = origin.target_field
    kind = _KINDS.get(origin.get_internal_type())
    if kind is None:
        raise BackupError(f"{field} has a type that archives do not know; this is our mistake.")
    places = origin.decimal_places if kind == "decimal" else 0
    return Column(str(field.column), kind, places)


def from_sqlite(column: Column) -> Convert | None:
    """From what sqlite3 reads, without converters, to JSON; None if it is the same."""
    if column.kind == "decimal":
        unit = Decimal(1).scaleb(-column.places)
        return lambda value: str(_decimal(value).quantize(unit))
    return _FROM_SQLITE.get(column.kind)


def from_postgresql(column: Column) -> Convert | None:
    """From the value of `Column.selected` to JSON; None if it is the same."""
    return _FROM_POSTGRESQL.get(column.kind)


def to_sqlite(column: Column) -> Convert | None:
    """From JSON to what sqlite3 stores; None if it is the same."""
    return _TO_SQLITE.get(column.kind)


def to_postgresql(column: Column) -> Convert | None:
    """From JSON to what COPY takes; None if it is the same. Its text has no U+0000."""
    return _TO_POSTGRESQL.get(column.kind)


def _encoded(value: bytes | str) -> str | list[str]:
    if isinstance(value, str):
        return [value]
    return binascii.b2a_base64(value, newline=False).decode("ascii")


def _decoded(value: str | list[str]) -> bytes | str:
    return binascii.a2b_base64(value) if isinstance(value, str) else value[0]


def _only_bytes(value: str | list[str]) -> bytes:
    decoded = _decoded(value)
    return decoded if isinstance(decoded, bytes) else decoded.encode()


def _without_nul(value: str) -> str:
    """As `db.fields.storable`: every field of our own has none anyway."""
    return value.replace("\0", "\ufffd") if "\0" in value else value


def _shortened(text: str) -> str:
    return text.removesuffix(_NO_MICROSECONDS)


def _decimal(value: float | str) -> Decimal:
    if isinstance(value, str):
        return Decimal(value)
    return _DIGITS.create_decimal_from_float(value)


_FROM_SQLITE: dict[str, Convert] = {"boolean": bool, "bytes": _encoded}
_FROM_POSTGRESQL: dict[str, Convert] = {
    "bytes": _encoded,
    "moment": _shortened,
    "time": _shortened,
}
_TO_SQLITE: dict[str, Convert] = {"boolean": int, "bytes": _decoded}
_TO_POSTGRESQL: dict[str, Convert] = {"bytes": _only_bytes, "text": _without_nul}
