"""The audit log as a file, a page of rows in memory at a time."""

import csv
import io
from collections.abc import Callable, Iterator
from typing import Any

from audit.models import Event, EventQuerySet
from chat.audit_pages.filters import Place, after
from db.fields import dump_json

COLUMNS = (
    *("when", "id", "action", "actor", "door", "address"),
    *("target_type", "target_id", "target_name", "detail"),
)
_AT_ONCE = 1_000
# What a spreadsheet takes for a formula begins with one of these.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def json_lines(rows: EventQuerySet) -> Iterator[str]:
    for event in _each(rows):
        yield dump_json(_cells(event)) + "\n"


def csv_lines(rows: EventQuerySet) -> Iterator[str]:
    """RFC 4180, with a head."""
    yield _line(COLUMNS)
    for event in _each(rows):
        cells = _cells(event)
        yield _line([_harmless(dump_json(v) if n == "detail" else v) for n, v in cells.items()])


FORMATS: dict[str, tuple[Callable[[EventQuerySet], Iterator[str]], str]] = {
    "csv": (csv_lines, "text/csv; charset=utf-8"),
    "jsonl": (json_lines, "application/jsonl; charset=utf-8"),
}


def _each(rows: EventQuerySet) -> Iterator[Event]:
    """Asks anew for each part: no statement is open while a client is slow."""
    place: Place | None = None
    while True:
        part = list(after(rows, place)[:_AT_ONCE])
        yield from part
        if len(part) < _AT_ONCE:
            return
        place = Place(part[-1].when, part[-1].pk)


def _cells(event: Event) -> dict[str, Any]:
    return {
        "when": event.when.isoformat(),
        "id": str(event.public_id),
        "action": event.action,
        "actor": event.actor_name,
        "door": event.door,
        "address": event.address or "",
        "target_type": event.target_type,
        "target_id": event.target_id,
        "target_name": event.target_name,
        "detail": event.detail,
    }


def _line(cells: Any) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()


def _harmless(value: str) -> str:
    return f"'{value}" if value.startswith(_FORMULA) else value
