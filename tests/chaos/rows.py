"""What the database says in the end, as lines of the ledger."""

from typing import Any

from tests.chaos.journal import Journal
from tests.faults.ledger import Ledger

QUERIES = {
    "turn": (
        "SELECT t.id, t.public_id, t.client_key, t.status, t.owner, t.lease_expires, r.public_id,"
        " c.parent_call_id FROM chat_turn t JOIN chat_conversation c ON c.id = t.conversation_id"
        " LEFT JOIN tracing_trace r ON r.id = t.trace_id ORDER BY t.id",
        ("id", "public_id", "key", "status", "owner", "lease", "trace", "parent_call"),
    ),
    "trace": (
        "SELECT id, public_id, kind, status FROM tracing_trace ORDER BY id",
        ("id", "public_id", "type", "status"),
    ),
    "span": (
        "SELECT s.id, s.public_id, s.kind, s.name, s.status, s.owner, s.lease_expires,"
        " r.public_id, r.kind, p.number FROM tracing_span s"
        " JOIN tracing_trace r ON r.id = s.trace_id LEFT JOIN tracing_span p ON p.id = s.parent_id"
        " ORDER BY s.id",
        (
            *("id", "public_id", "type", "name", "status", "owner", "lease"),
            *("trace", "trace_type", "round"),
        ),
    ),
    "message": (
        "SELECT m.id, m.turn_id, m.role, m.body, m.span_id, s.public_id FROM chat_message m"
        " LEFT JOIN tracing_span s ON s.id = m.span_id ORDER BY m.id",
        ("id", "turn", "role", "body", "span", "span_id"),
    ),
}
UUIDS = ("public_id", "trace", "span_id")


def note_rows(ledger: Ledger, journal: Journal) -> None:
    for kind, (query, names) in QUERIES.items():
        for row in ledger.rows(query):
            journal.note(kind, **_jsonable(dict(zip(names, row, strict=True))))


def _jsonable(row: dict[str, Any]) -> dict[str, Any]:
    """UUIDs are hexadecimal without hyphens, as SQLite keeps them; times are texts."""
    for name, value in row.items():
        if name in UUIDS and value is not None:
            row[name] = hexadecimal(str(value))
        elif not isinstance(value, str | int | float | None):
            row[name] = str(value)
    return row


def hexadecimal(uuid: str) -> str:
    return uuid.replace("-", "")
