"""Our own server: the article's results, and what each tool refuses."""

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from tests import patience
from tools.mcp.listing import look
from tools.mcp.servers import seeds
from tools.mcp.servers.database import Database, Refused
from tools.tests.calling import Caller, sqlite

pytestmark = pytest.mark.process

COLUMN = "{{'cid': {}, 'name': '{}', 'type': '{}', 'notnull': {}, 'dflt_value': {}, 'pk': {}}}"
ARTICLE: list[tuple[str, dict[str, Any], str]] = [
    ("list_tables", {}, "[{'name': 'students'}, {'name': 'sqlite_sequence'}, {'name': 'log'}]"),
    ("read_query", {"query": "SELECT COUNT(*) FROM students"}, "[{'COUNT(*)': 2}]"),
    ("read_query", {"query": "SELECT COUNT(*) FROM sqlite_sequence"}, "[{'COUNT(*)': 1}]"),
    ("read_query", {"query": "SELECT COUNT(*) FROM log"}, "[{'COUNT(*)': 1}]"),
    (
        "describe_table",
        {"table_name": "students"},
        "["
        + ", ".join(
            [
                COLUMN.format(0, "id", "INTEGER", 0, None, 1),
                COLUMN.format(1, "name", "TEXT", 1, None, 0),
                COLUMN.format(2, "age", "INTEGER", 1, None, 0),
            ]
        )
        + "]",
    ),
    (
        "describe_table",
        {"table_name": "sqlite_sequence"},
        "["
        + ", ".join(
            [COLUMN.format(0, "name", "", 0, None, 0), COLUMN.format(1, "seq", "", 0, None, 0)]
        )
        + "]",
    ),
    (
        "describe_table",
        {"table_name": "log"},
        "["
        + ", ".join(
            [
                COLUMN.format(0, "id", "INTEGER", 0, None, 1),
                COLUMN.format(1, "action", "TEXT", 0, None, 0),
                COLUMN.format(2, "timestamp", "DATETIME", 0, "'CURRENT_TIMESTAMP'", 0),
            ]
        )
        + "]",
    ),
    ("read_query", {"query": "SELECT age FROM students WHERE name = '韩梅梅'"}, "[{'age': 6}]"),
    (
        "write_query",
        {"query": "INSERT INTO log (action) VALUES ('查询了韩梅梅的年龄')"},
        "[{'affected_rows': 1}]",
    ),
    ("read_query", {"query": "SELECT COUNT(*) FROM log"}, "[{'COUNT(*)': 2}]"),
]


@pytest.fixture
def database(tmp_path: Path) -> Database:
    seeds.plant(tmp_path / "test.sqlite3", "walkthrough")
    return Database(tmp_path / "test.sqlite3")


@pytest.fixture
def contents(database: Database) -> Iterator[None]:
    """Fails if the test changed anything in the database."""

    def dump() -> list[str]:
        with closing(sqlite3.connect(database.path)) as connection:
            return list(connection.iterdump())

    before = dump()
    yield
    assert dump() == before


def test_the_articles_calls_give_the_articles_results_over_stdio(caller: Caller) -> None:
    for tool, arguments, text in ARTICLE:
        assert caller.call(sqlite(), tool, **arguments).text == text


def test_the_articles_tools_are_listed_word_for_word(caller: Caller) -> None:
    listed = [(t.name, t.description, t.input_schema) for t in look(sqlite()).tools]
    query = {"type": "string", "description": "SELECT SQL query to execute"}
    assert [name for name, _, _ in listed] == [
        "read_query",
        "write_query",
        "create_table",
        "list_tables",
        "describe_table",
        "append_insight",
    ]
    assert listed[0][1:] == (
        "Execute a SELECT query on the SQLite database",
        {"type": "object", "properties": {"query": query}, "required": ["query"]},
    )
    assert listed[3][2] == {"type": "object", "properties": {}, "required": []}
    assert list(listed[0][2]) == ["type", "properties", "required"]


def test_each_conversation_has_a_database_of_its_own(caller: Caller, tmp_path: Path) -> None:
    caller.call(sqlite(), "write_query", query="DELETE FROM log")
    elsewhere = caller.context(workspace=tmp_path / "elsewhere")
    query = "SELECT COUNT(*) FROM log"
    assert caller.call(sqlite(), "read_query", query=query).text == "[{'COUNT(*)': 0}]"
    assert caller.call(sqlite(), "read_query", elsewhere, query=query).text == "[{'COUNT(*)': 1}]"


def test_an_error_of_sqlite_is_an_error_result(caller: Caller) -> None:
    result = caller.call(sqlite(), "read_query", query="SELECT * FROM nowhere")
    assert (result.text, result.is_error) == ("Database error: no such table: nowhere", True)


@pytest.mark.parametrize("arguments", [{}, {"query": 5}, {"query": None}, {"query": "\0"}])
def test_bad_arguments_are_error_results(caller: Caller, arguments: dict[str, Any]) -> None:
    assert caller.call(sqlite(), "read_query", **arguments).is_error


def test_the_server_starts_without_django() -> None:
    script = "import sys, tools.mcp.servers.sqlite; print('django' in sys.modules)"
    shown = subprocess.check_output([sys.executable, "-c", script], cwd=settings.BASE_DIR)
    assert shown == b"False\n"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1",
        "VALUES (1)",
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 3) SELECT x FROM n",
        "SELECT upper(name), sum(age) FROM students GROUP BY name ORDER BY 1;",
        "EXPLAIN QUERY PLAN SELECT 1",
        "PRAGMA table_info(students)",
        "-- a comment\nSELECT 1",
    ],
)
def test_read_query_reads(database: Database, query: str) -> None:
    assert database.run_tool("read_query", {"query": query}).startswith("[{")


@pytest.mark.usefixtures("contents")
@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM log",
        "INSERT INTO log (action) VALUES ('x')",
        "INSERT INTO log (action) VALUES ('x') RETURNING id",
        "WITH x AS (SELECT 1) DELETE FROM log",
        "UPDATE students SET age = 1",
        "DROP TABLE log",
        "CREATE TABLE t (a)",
        "CREATE TEMP TABLE t (a)",
        "ALTER TABLE log ADD COLUMN x",
        "PRAGMA user_version = 3",
        "PRAGMA writable_schema = 1",
        "PRAGMA journal_mode = DELETE",
        "ATTACH '{}' AS other",
        "VACUUM INTO '{}'",
        "VACUUM",
        "REINDEX",
        "BEGIN EXCLUSIVE",
        "SAVEPOINT s",
        "SELECT load_extension('x')",
        "SELECT 1; DELETE FROM log",
        "/* SELECT */ DELETE FROM log",
        "",
        "-- nothing",
    ],
)
def test_read_query_refuses_everything_else(database: Database, query: str) -> None:
    outside = database.path.with_name("outside.sqlite3")
    with pytest.raises((Refused, sqlite3.Error)):
        database.run_tool("read_query", {"query": query.format(outside)})
    assert not outside.exists()


@pytest.mark.parametrize(
    ("query", "affected"),
    [
        ("UPDATE students SET age = age + 1", 2),
        ("DELETE FROM students WHERE name = '李雷'", 1),
        ("DELETE FROM log WHERE id = 99", 0),
        ("WITH a AS (SELECT 5 AS v) UPDATE students SET age = (SELECT v FROM a)", 2),
        ("INSERT INTO log (action) VALUES ('a'), ('b') RETURNING id", 2),
        ("REPLACE INTO students (id, name, age) VALUES (2, '韩梅梅', 6)", 1),
    ],
)
def test_write_query_counts_what_it_changed(database: Database, query: str, affected: int) -> None:
    assert (
        database.run_tool("write_query", {"query": query}) == f"[{{'affected_rows': {affected}}}]"
    )


@pytest.mark.usefixtures("contents")
@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1",
        "DROP TABLE log",
        "CREATE TABLE t (a)",
        "INSERT INTO log (action) VALUES ('a'); DROP TABLE log",
        "UPDATE sqlite_master SET sql = 'x'",
        "INSERT INTO students (name) VALUES ('without an age')",
        "PRAGMA user_version = 3",
        "BEGIN",
    ],
)
def test_write_query_refuses_what_does_not_change_rows(database: Database, query: str) -> None:
    with pytest.raises((Refused, sqlite3.Error)):
        database.run_tool("write_query", {"query": query})


@pytest.mark.parametrize(
    "query",
    [
        "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT UNIQUE CHECK (a > 'a'))",
        "create table 表 (名 TEXT)",
        "CREATE TABLE copy AS SELECT * FROM students",
        "CREATE TABLE IF NOT EXISTS log (a)",
    ],
)
def test_create_table_creates(database: Database, query: str) -> None:
    assert database.run_tool("create_table", {"query": query}) == "Table created successfully"


@pytest.mark.usefixtures("contents")
@pytest.mark.parametrize(
    "query",
    [
        "DROP TABLE log",
        "CREATE VIEW v AS SELECT 1",
        "CREATE TRIGGER t AFTER INSERT ON log BEGIN DELETE FROM log; END",
        "CREATE TABLE log (a)",
        "INSERT INTO log (action) VALUES ('x')",
        "SELECT 1",
        "",
    ],
)
def test_create_table_refuses_everything_else(database: Database, query: str) -> None:
    with pytest.raises((Refused, sqlite3.Error)):
        database.run_tool("create_table", {"query": query})


def test_a_table_that_does_not_exist_is_not_described(database: Database) -> None:
    with pytest.raises(Refused, match="no table named"):
        database.run_tool("describe_table", {"table_name": "x'); DROP TABLE log; --"})


def test_a_statement_that_runs_too_long_is_interrupted(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.mcp.servers.database.MAX_QUERY_S", 0.1)
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        database.run_tool("read_query", {"query": endless})


def test_too_many_rows_are_refused(database: Database) -> None:
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
    with pytest.raises(Refused, match="more than 10,000 rows"):
        database.run_tool("read_query", {"query": endless})


def test_writers_wait_for_each_other(database: Database) -> None:
    query = {"query": "INSERT INTO log (action) VALUES ('x')"}
    writers = [
        threading.Thread(target=database.run_tool, args=("write_query", query)) for _ in range(20)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(patience.SECONDS)
    counted = database.run_tool("read_query", {"query": "SELECT COUNT(*) AS n FROM log"})
    assert counted == "[{'n': 21}]"


def test_a_seed_leaves_a_database_that_exists_as_it_is(database: Database) -> None:
    database.run_tool("write_query", {"query": "DELETE FROM log"})
    seeds.plant(database.path, "walkthrough")
    assert database.rows("SELECT * FROM log") == []
    assert [path.name for path in database.path.parent.iterdir()] == [database.path.name]
