"""Six tools over one SQLite file, as functions from arguments to the text of a result.

What a statement may do is judged by SQLite's authorizer while it compiles the statement, never by
looking at its text (https://www.sqlite.org/c3ref/set_authorizer.html).
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from limits.mcp import MAX_QUERY_ROWS, MAX_QUERY_S, MAX_QUERY_VALUE_BYTES

READING = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
CHANGING = {sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE}
MAKING = {sqlite3.SQLITE_CREATE_TABLE, sqlite3.SQLITE_CREATE_INDEX, sqlite3.SQLITE_REINDEX}
LOOKING_PRAGMAS = {"table_info", "table_xinfo", "table_list", "index_list", "index_info"}
UNSAFE_FUNCTIONS = {"load_extension", "fts3_tokenizer"}


class Refused(Exception):
    """A statement that this tool does not run; the message is written for the model."""


class Database:
    """The six tools over one file. Each call has a connection of its own, closed after it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.insights: list[str] = []

    @property
    def memo(self) -> str:
        """The insights so far, one a line."""
        return "\n".join(f"- {insight}" for insight in self.insights) or "No insights yet."

    def run_tool(self, name: str, arguments: dict[str, str]) -> str:
        """The result's text. Raises `Refused`, `sqlite3.Error`, or `KeyError` for a bad call."""
        match name:
            case "read_query":
                return str(self.rows(arguments["query"]))
            case "write_query":
                return self.write(arguments["query"])
            case "create_table":
                return self.create_table(arguments["query"])
            case "list_tables":
                return str(self.rows("SELECT name FROM sqlite_master WHERE type='table'"))
            case "describe_table":
                return self.describe_table(arguments["table_name"])
            case "append_insight":
                self.insights.append(arguments["insight"])
                return "Insight added to memo"
        raise Refused(f"Unknown tool: {name}")

    def rows(self, query: str) -> list[dict[str, Any]]:
        """The rows of one statement that only reads; SQLite itself judges that."""
        with self.connection() as database:
            judge = _authorize(database, _reading)
            cursor = _execute(database, judge, query, "read_query only runs queries that read")
            if cursor.description is None:
                raise Refused("read_query only runs queries that return rows, such as SELECT")
            rows = [dict(row) for row in cursor.fetchmany(MAX_QUERY_ROWS + 1)]
        if len(rows) > MAX_QUERY_ROWS:
            raise Refused(f"The query returns more than {MAX_QUERY_ROWS:,} rows; add a LIMIT")
        return rows

    def write(self, query: str) -> str:
        refusal = "write_query only runs INSERT, UPDATE and DELETE"
        with self.connection() as database:
            asked = _authorize(database, _writing)
            # With RETURNING, the changes are made as the rows are fetched.
            _execute(database, asked, query, refusal).fetchall()
            if not asked.actions & CHANGING:
                raise Refused(refusal)
            database.set_authorizer(None)
            (changes,) = database.execute("SELECT changes()").fetchone()
        return str([{"affected_rows": changes}])

    def create_table(self, query: str) -> str:
        refusal = "create_table only runs CREATE TABLE"
        with self.connection() as database:
            asked = _authorize(database, _creating)
            _execute(database, asked, query, refusal)
            if sqlite3.SQLITE_CREATE_TABLE not in asked.actions:
                raise Refused(refusal)
        return "Table created successfully"

    def describe_table(self, table: str) -> str:
        with self.connection() as database:
            cursor = database.execute(
                'SELECT cid, name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)',
                (table,),
            )
            columns = [dict(row) for row in cursor]
        if not columns:
            raise Refused(f"There is no table named {table!r}")
        return str(columns)

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """In autocommit mode, with limits on what one statement can cost."""
        deadline = time.monotonic() + MAX_QUERY_S
        with closing(sqlite3.connect(self.path, timeout=10, isolation_level=None)) as database:
            database.row_factory = sqlite3.Row
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_QUERY_VALUE_BYTES)
            database.set_progress_handler(lambda: time.monotonic() > deadline, 100_000)
            yield database


Judge = Callable[[int, str | None, str | None], bool]


@dataclass
class _Asked:
    """What SQLite asked leave for while it compiled a statement, and whether all was given."""

    allows: Judge
    actions: set[int] = field(default_factory=set)
    denied: bool = False

    def __call__(self, action: int, first: str | None, second: str | None, *_: str | None) -> int:
        self.actions.add(action)
        if self.allows(action, first, second):
            return sqlite3.SQLITE_OK
        self.denied = True
        return sqlite3.SQLITE_DENY


def _authorize(database: sqlite3.Connection, allows: Judge) -> _Asked:
    asked = _Asked(allows)
    database.set_authorizer(asked)
    return asked


def _execute(
    database: sqlite3.Connection, asked: _Asked, query: str, refusal: str
) -> sqlite3.Cursor:
    """Runs one statement; raises `Refused` with `refusal` where the authorizer denied it."""
    try:
        return database.execute(query)
    except sqlite3.DatabaseError as error:
        raise Refused(refusal) if asked.denied else error from None


def _reading(action: int, first: str | None, second: str | None) -> bool:
    if action == sqlite3.SQLITE_PRAGMA:
        return first in LOOKING_PRAGMAS
    if action == sqlite3.SQLITE_FUNCTION:
        return second not in UNSAFE_FUNCTIONS
    return action in READING


def _writing(action: int, first: str | None, second: str | None) -> bool:
    """Rows may change; SQLite itself keeps `sqlite_master` from being written to."""
    return action in CHANGING or _reading(action, first, second)


def _creating(action: int, first: str | None, second: str | None) -> bool:
    """Making a table writes to the schema, makes indexes, and may read for `AS SELECT`."""
    if action in CHANGING:
        return first == "sqlite_master"
    return action in MAKING or _reading(action, first, second)
