"""Everything that a freshly migrated database has: its schema and its rows, as plain text."""

import json
import re
from collections.abc import Iterator
from typing import Any

from django.db import connection

# Every column in its order, without the gaps that dropped ones left.
COLUMNS = """
    SELECT table_name, rank() OVER (PARTITION BY table_name ORDER BY ordinal_position),
        column_name, data_type, udt_name, character_maximum_length, numeric_precision,
        numeric_scale, datetime_precision, is_nullable, column_default, is_identity,
        identity_generation, is_generated, collation_name
    FROM information_schema.columns WHERE table_schema = 'public'"""
OF_POSTGRESQL = {
    "tables": "SELECT relname, relkind, relpersistence FROM pg_class"
    " WHERE relnamespace = 'public'::regnamespace",
    "columns": COLUMNS,
    "indexes": "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "constraints": "SELECT conrelid::regclass::text, conname, contype, condeferrable, condeferred,"
    " convalidated, pg_get_constraintdef(oid) FROM pg_constraint"
    " WHERE connamespace = 'public'::regnamespace",
    "triggers": "SELECT tgrelid::regclass::text, tgname, tgenabled, pg_get_triggerdef(oid)"
    " FROM pg_trigger WHERE NOT tgisinternal",
    "functions": "SELECT proname, pg_get_functiondef(oid) FROM pg_proc"
    " WHERE pronamespace = 'public'::regnamespace",
    "types": "SELECT typname, typtype FROM pg_type WHERE typnamespace = 'public'::regnamespace"
    " AND typtype NOT IN ('c', 'b')",
    "extensions": "SELECT extname FROM pg_extension",
}
# Rows whose ids follow the order of the models in migrations, which nothing depends on.
BY_NAME = {
    "django_content_type": "SELECT app_label, model FROM django_content_type",
    "auth_permission": "SELECT app_label, model, codename, name FROM auth_permission"
    " JOIN django_content_type ON django_content_type.id = content_type_id",
}
# Made by Django, not by a migration: how far it has come.
BOOKKEEPING = {"django_migrations", "sqlite_sequence"}


def dump() -> dict[str, list[str]]:
    schema = _of_postgresql() if connection.vendor == "postgresql" else _of_sqlite()
    return {**schema, "rows": sorted(_rows())}


def _of_postgresql() -> dict[str, list[str]]:
    return {name: sorted(map(_line, _select(sql))) for name, sql in OF_POSTGRESQL.items()}


def _of_sqlite() -> dict[str, list[str]]:
    objects = _select("SELECT type, name, tbl_name, sql FROM sqlite_master")
    tables = _select("SELECT name FROM sqlite_master WHERE type = 'table'")
    columns = [
        _line((table, *column))
        for (table,) in tables
        for column in _select(f"PRAGMA table_xinfo({connection.ops.quote_name(table)})")
    ]
    return {
        "objects": sorted(_line((*names, _normal(sql))) for *names, sql in objects),
        "columns": sorted(columns),
    }


def _normal(sql: str | None) -> Any:
    """Of a table: its columns in order, then its constraints, which SQLite writes among the columns
    where a column was added later."""
    table = re.fullmatch(r'(CREATE TABLE "\w+") \((.*)\)', sql or "", re.DOTALL)
    if table is None:
        return sql
    parts = list(_parts(table[2]))
    constraints = [part for part in parts if part.startswith("CONSTRAINT")]
    return [table[1], *(part for part in parts if part not in constraints), *sorted(constraints)]


def _parts(body: str) -> Iterator[str]:
    """What stands between the outermost commas."""
    part, depth, is_quoted = "", 0, False
    for character in body:
        is_quoted ^= character == "'"
        depth += 0 if is_quoted else (character == "(") - (character == ")")
        if character == "," and not depth and not is_quoted:
            yield part.strip()
            part = ""
        else:
            part += character
    yield part.strip()


def _rows() -> Iterator[str]:
    for table in connection.introspection.table_names():
        if table not in BOOKKEEPING:
            sql = BY_NAME.get(table, f"SELECT * FROM {connection.ops.quote_name(table)}")
            yield from (_line((table, *row)) for row in _select(sql))


def _select(sql: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall()


def _line(values: Any) -> str:
    return json.dumps(values, default=lambda value: bytes(value).hex())
