"""An MCP server over one SQLite file: `python -m tools.mcp.servers.sqlite --db-path FILE`.

Results are the Python representation of a list of rows as dictionaries. A failing statement is a
result with `is_error`. `--seed walkthrough` fills the file if it is new.
"""

import argparse
import asyncio
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)
from mcp_types import Tool as ListedTool

from tools.mcp.servers import seeds

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
MOST_ROWS = 10_000
LONGEST_VALUE = 10_000_000  # bytes
LONGEST_S = 30.0


def _takes(name: str = "", description: str = "") -> dict[str, Any]:
    properties = {name: {"type": "string", "description": description}} if name else {}
    return {"type": "object", "properties": properties, "required": [*properties]}


TOOLS = [
    ListedTool(name=name, description=description, input_schema=schema)
    for name, description, schema in (
        (
            "read_query",
            "Execute a SELECT query on the SQLite database",
            _takes("query", "SELECT SQL query to execute"),
        ),
        (
            "write_query",
            "Execute an INSERT, UPDATE, or DELETE query on the SQLite database",
            _takes("query", "SQL query to execute"),
        ),
        (
            "create_table",
            "Create a new table in the SQLite database",
            _takes("query", "CREATE TABLE SQL statement"),
        ),
        ("list_tables", "List all tables in the SQLite database", _takes()),
        (
            "describe_table",
            "Get the schema information for a specific table",
            _takes("table_name", "Name of the table to describe"),
        ),
        (
            "append_insight",
            "Add a business insight to the memo",
            _takes("insight", "Business insight discovered from data analysis"),
        ),
    )
]


class Refused(Exception):
    """A statement that this tool does not run; the message is written for the model."""


class Database:
    """The six tools over one file. Each call has a connection of its own, closed after it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.insights: list[str] = []

    def call(self, name: str, arguments: dict[str, str]) -> str:
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
            asked = _authorize(database, _reading)
            cursor = _execute(database, asked, query, "read_query only runs queries that read")
            if cursor.description is None:
                raise Refused("read_query only runs queries that return rows, such as SELECT")
            rows = [dict(row) for row in cursor.fetchmany(MOST_ROWS + 1)]
        if len(rows) > MOST_ROWS:
            raise Refused(f"The query returns more than {MOST_ROWS:,} rows; add a LIMIT")
        return rows

    def write(self, query: str) -> str:
        refusal = "write_query only runs INSERT, UPDATE and DELETE"
        with self.connection() as database:
            asked = _authorize(database, _writing)
            _execute(
                database, asked, query, refusal
            ).fetchall()  # RETURNING changes as it is stepped
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
        deadline = time.monotonic() + LONGEST_S
        with closing(sqlite3.connect(self.path, timeout=10, isolation_level=None)) as database:
            database.row_factory = sqlite3.Row
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
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


def make_server(database: Database) -> Server[Any]:
    """The MCP server; `asyncio.to_thread` keeps it answering while a query runs."""

    async def list_tools(_context: Any, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=TOOLS)

    async def call_tool(_context: Any, params: CallToolRequestParams) -> CallToolResult:
        try:
            text = await asyncio.to_thread(database.call, params.name, params.arguments or {})
        except KeyError as error:
            return _result(f"Missing argument: {error}", is_error=True)
        except (Refused, sqlite3.Error, sqlite3.Warning) as error:
            return _result(f"Database error: {error}", is_error=True)
        return _result(text)

    return Server("sqlite", version="1.0", on_list_tools=list_tools, on_call_tool=call_tool)


def _result(text: str, *, is_error: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_error)


async def serve(database: Database) -> None:
    server = make_server(database)
    async with stdio_server() as (read_stream, write_stream):
        await server.run(read_stream, write_stream, server.create_initialization_options())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db-path", type=Path, required=True)
    parser.add_argument("--seed", choices=sorted(seeds.SEEDS))
    options = parser.parse_args()
    options.db_path.parent.mkdir(parents=True, exist_ok=True)
    if options.seed:
        seeds.plant(options.db_path, options.seed)
    asyncio.run(serve(Database(options.db_path)))


if __name__ == "__main__":
    main()
