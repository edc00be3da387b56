"""Statements whose SQL Django writes once, for the few that every turn needs.

Writing a statement costs Django five to ten times what running it does, and a turn runs forty. One
is prepared from an ordinary queryset, in which `Given("name")` stands for what is known only when
it is run:

    _EPOCH = Select(lambda: Turn.objects.filter(pk=Given("turn")).values_list("epoch"))
    _EPOCH.all(turn=7)

It gives what the queryset would give, on either database. A `Given` stands for what the field that
it is compared with, or stored in, would take. Several values (`pk__in`) are a `Given` each; where
there may be any number of them, an ordinary queryset is the right thing.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cache
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections, models
from django.db.models.constants import OnConflict
from django.db.models.expressions import Expression, ExpressionList
from django.db.models.sql import UpdateQuery
from django.db.models.sql.compiler import SQLCompiler

Row = TypeVar("Row")
M = TypeVar("M", bound=models.Model)
Written = tuple[str, tuple[Any, ...]]
_Compiled = tuple["models.QuerySet[Any, Row]", SQLCompiler, Written]
# In one statement, below every database's limit of values.
_MOST_ROWS = 32


class Given(Expression):
    """Stands for a value that comes with each run."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        # The field that it is compared with or stored in. Unknown within an expression or a
        # subquery: there it has to be a number or a text.
        self.kept_in: Any = None

    def adapted(self, value: Any, connection: Any) -> Any:
        """The value as the database's driver takes it."""
        return value if self.kept_in is None else self.kept_in.get_db_prep_save(value, connection)

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> Any:
        return "%s", [self]


class Select(Generic[Row]):
    """Prepared from the queryset that `build` makes: of instances, or of `values_list`."""

    def __init__(self, build: Callable[[], "models.QuerySet[Any, Row]"]) -> None:
        self._build = build
        self._compiled: dict[str, _Compiled[Row]] = {}
        self._here = threading.local()

    def all(self, **given: Any) -> list[Row]:
        """The rows for these values."""
        connection = _connection()
        reader: _Reader[Row] | None = getattr(self._here, "reader", None)
        if reader is None or reader.connection is not connection:
            reader = self._here.reader = _Reader(self._compiled_for(connection), connection)
        return reader.rows(given)

    def first(self, **given: Any) -> Row | None:
        return next(iter(self.all(**given)), None)

    def get(self, **given: Any) -> Row:
        """The one row. Raises the model's DoesNotExist."""
        rows = self.all(**given)
        if not rows:
            raise self._build().model.DoesNotExist(f"no row for {given}")
        (only,) = rows
        return only

    def _compiled_for(self, connection: Any) -> "_Compiled[Row]":
        found = self._compiled.get(connection.vendor)
        if found is None:
            queryset = self._build()
            _bind(queryset.query.where)
            compiler = queryset.query.get_compiler(connection=connection)
            sql, params = compiler.as_sql()
            # Each thread has its own: this one's may be closed by then.
            compiler.connection = None
            found = self._compiled[connection.vendor] = queryset, compiler, (sql, tuple(params))
        return found


class _Reader(Generic[Row]):
    """A statement as one thread runs it, again and again, with its connection.

    How the columns become values is found out once: for a wide row that costs several times what
    reading it does.
    """

    def __init__(self, compiled: "_Compiled[Row]", connection: Any) -> None:
        queryset, compiler, self._written = compiled
        self.connection = connection
        mine: Any = copy(compiler)
        mine.connection = connection
        columns = [column for column, *_ in mine.select[: mine.col_count]]
        converters, is_composite = mine.get_converters(columns), mine.has_composite_fields(columns)
        mine.get_converters = lambda expressions: converters
        mine.has_composite_fields = lambda expressions: is_composite
        fresh: Any = queryset.all()
        fresh.query.get_compiler = lambda *args, **kwargs: mine
        self._compiler, self._queryset = mine, fresh

    def rows(self, given: Mapping[str, Any]) -> list[Row]:
        answer = _filled(self._written, given, self.connection)
        self._compiler.as_sql = lambda *args, **kwargs: answer
        return list(self._queryset._iterable_class(self._queryset))


class Update:
    """An UPDATE of a queryset's rows. A change is an expression, or a `Given` for a value."""

    def __init__(self, build: Callable[[], "models.QuerySet[Any]"], **changes: Any) -> None:
        self._build = build
        self._changes = changes
        self._written: dict[str, Written] = {}

    def run(self, **given: Any) -> int:
        """How many rows it matched."""
        connection = _connection()
        written = self._written.get(connection.vendor)
        if written is None:
            queryset = self._build()
            query: Any = queryset.query.chain(UpdateQuery)
            _bind(query.where)
            query.add_update_values(_bound(queryset.model, self._changes))
            sql, params = query.get_compiler(connection=connection).as_sql()
            written = self._written[connection.vendor] = sql, tuple(params)
        with connection.cursor() as cursor:
            cursor.execute(*_filled(written, given, connection))
            return int(cursor.rowcount)


def insert(row: M) -> M:
    """Stores a new row, as `save` does, without signals."""
    insert_all([row])
    return row


def insert_all(rows: Sequence[M], unique: tuple[str, ...] = ()) -> None:
    """Stores new rows of one model, as `bulk_create` does. With `unique`, the columns of a
    constraint, one that is there already is replaced."""
    for start in range(0, len(rows), _MOST_ROWS):
        _insert_some(rows[start : start + _MOST_ROWS], unique)


def _insert_some(rows: Sequence[M], unique: tuple[str, ...]) -> None:
    connection = _connection()
    sql, fields = _insertion(type(rows[0]), connection.vendor, len(rows), unique)
    values = [
        field.get_db_prep_save(field.pre_save(row, True), connection)
        for row in rows
        for field in fields
    ]
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        keys = cursor.fetchall()
    for row, (key,) in zip(rows, keys, strict=True):
        row.pk = key
        row._state.adding = False
        row._state.db = connection.alias


def _bind(condition: Any) -> None:
    """Tells what is given in a condition with which field it is compared."""
    for part in condition.children:
        if hasattr(part, "children"):
            _bind(part)
            continue
        rhs = getattr(part, "rhs", None)
        for value in rhs.get_source_expressions() if isinstance(rhs, ExpressionList) else [rhs]:
            if isinstance(value, Given):
                value.kept_in = part.lhs.output_field


def _bound(model: type[models.Model], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Tells what is given for a field that this is where it is stored."""
    bound = {name: copy(change) for name, change in changes.items()}
    for name, change in bound.items():
        if isinstance(change, Given):
            change.kept_in = model._meta.get_field(name)
    return bound


@cache
def _insertion(
    model: type[models.Model], vendor: str, count: int, unique: tuple[str, ...]
) -> tuple[str, list[Any]]:
    meta: Any = model._meta
    quoted = _connection().ops.quote_name
    fields = [field for field in meta.local_concrete_fields if not field.primary_key]
    columns = ", ".join(quoted(field.column) for field in fields)
    places = ", ".join([f"({', '.join(['%s'] * len(fields))})"] * count)
    table, key = quoted(meta.db_table), quoted(meta.pk.column)
    replacing = _replacing(fields, unique) if unique else ""
    return f"INSERT INTO {table} ({columns}) VALUES {places}{replacing} RETURNING {key}", fields


def _replacing(fields: list[Any], unique: tuple[str, ...]) -> str:
    """What is to be done about a row that has the same in these columns."""
    others = [field.column for field in fields if field.name not in unique]
    same = [field.column for field in fields if field.name in unique]
    ops = _connection().ops
    return f" {ops.on_conflict_suffix_sql(fields, OnConflict.UPDATE, others, same)}"


def _filled(written: Written, given: Mapping[str, Any], connection: Any) -> Written:
    sql, params = written
    return sql, tuple(
        p.adapted(given[p.name], connection) if isinstance(p, Given) else p for p in params
    )


def _connection() -> Any:
    """This thread's own: looking through Django's proxy at every step would take a while."""
    return connections[DEFAULT_DB_ALIAS]
