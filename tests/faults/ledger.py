"""What the product's database says, read past the product; and what must always hold."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

FINAL = ("done", "failed", "stopped")
OPEN_SPANS = ("running", "proposed", "awaiting_approval", "approved", "sent", "waiting")


@dataclass(frozen=True)
class TurnRow:
    pk: int
    status: str
    error: str
    epoch: int
    stop_requested: str | None


class Ledger:
    """The rows of a home's SQLite file, or of the PostgreSQL database at a URL."""

    def __init__(self, home: Path, url: str = "") -> None:
        self.file = home / "roundtrip.sqlite3"
        self.url = url

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """What the query finds; `?` stands for a value."""
        if self.url:
            with psycopg.connect(self.url) as connection:
                return connection.execute(query.replace("?", "%s"), values).fetchall()
        with closing(sqlite3.connect(self.file, timeout=20)) as database:
            return database.execute(query, values).fetchall()

    @contextmanager
    def _rows(self, query: str, *values: Any) -> Iterator[list[tuple[Any, ...]]]:
        yield self.rows(query, *values)

    def turns(self, key: str) -> list[TurnRow]:
        query = (
            "SELECT id, status, error, epoch, stop_requested FROM chat_turn WHERE client_key = ?"
        )
        with self._rows(query, key) as rows:
            return [TurnRow(*row) for row in rows]

    def turn(self, key: str) -> TurnRow:
        """The one turn of this key; several or none is a failure."""
        (row,) = self.turns(key)
        return row

    def owner(self, key: str) -> str:
        """The process that owns the turn."""
        with self._rows("SELECT owner FROM chat_turn WHERE client_key = ?", key) as rows:
            return str(rows[0][0])

    def nested(self, key: str) -> list[str]:
        """The keys of the turns of its subagents."""
        query = (
            "SELECT n.client_key FROM chat_turn n"
            " JOIN chat_conversation c ON c.id = n.conversation_id"
            " JOIN tracing_span s ON s.id = c.parent_call_id"
            " JOIN chat_turn t ON t.trace_id = s.trace_id WHERE t.id = ? ORDER BY n.id"
        )
        with self._rows(query, self.turn(key).pk) as rows:
            return [str(key) for (key,) in rows]

    def assert_tree_sound(self, key: str) -> TurnRow:
        """The turn and its subagents are sound, and each call of it began one of them at most."""
        inner = self.nested(key)
        for one in inner:
            self.assert_sound(one)
        tasks = [pk for pk, _ in self.spans(key, "tool")]
        assert len(inner) <= len(tasks)
        return self.assert_sound(key)

    def texts(self, key: str) -> list[str]:
        """What the model said in each round of the turn, as it is stored."""
        bodies = [body for body in self.messages(key) if body["role"] == "assistant"]
        return [body.get("content") or "" for body in bodies]

    def messages(self, key: str) -> list[dict[str, Any]]:
        query = "SELECT body FROM chat_message WHERE turn_id = ? ORDER BY id"
        with self._rows(query, self.turn(key).pk) as rows:
            return [json.loads(body) for (body,) in rows]

    def spans(self, key: str, kind: str) -> list[tuple[int, str]]:
        """Key and status of the turn's spans of a kind, oldest first."""
        query = (
            "SELECT s.id, s.status FROM tracing_span s JOIN chat_turn t ON t.trace_id = s.trace_id"
            " WHERE t.id = ? AND s.kind = ? ORDER BY s.id"
        )
        with self._rows(query, self.turn(key).pk, kind) as rows:
            return [(int(pk), str(status)) for pk, status in rows]

    def statuses(self, key: str, kind: str) -> list[str]:
        return [status for _, status in self.spans(key, kind)]

    def stages(self, span: int) -> list[str]:
        """The stages of a span that are stored, by name."""
        query = "SELECT stage FROM tracing_payload WHERE span_id = ? ORDER BY stage"
        with self._rows(query, span) as rows:
            return [str(stage) for (stage,) in rows]

    def response_bytes(self, key: str) -> list[int]:
        """The sizes of the responses that are stored of the turn's attempts, oldest first."""
        query = "SELECT size FROM tracing_payload WHERE stage = 'response' AND span_id = ?"
        sizes = []
        for pk, _ in self.spans(key, "generation"):
            with self._rows(query, pk) as rows:
                sizes += [int(size) for (size,) in rows]
        return sizes

    def results_of(self, span: int) -> int:
        query = "SELECT COUNT(*) FROM chat_message WHERE role = 'tool' AND span_id = ?"
        with self._rows(query, span) as rows:
            return int(rows[0][0])

    def assert_sound(self, key: str) -> TurnRow:
        """One turn a key; it is over; nothing of it is open; every call has one result."""
        turn = self.turn(key)
        assert turn.status in FINAL
        kinds = ("turn", "round", "generation", "tool")
        states = [state for kind in kinds for state in self.statuses(key, kind)]
        assert not set(states) & set(OPEN_SPANS), states
        assert all(self.results_of(pk) == 1 for pk, _ in self.spans(key, "tool"))
        return turn
