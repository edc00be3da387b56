"""Statements whose SQL Django compiles once, for the few that every turn needs.

Compiling a statement costs Django five to ten times what running it does, and a turn runs forty.
A method of a model's queryset class becomes a prepared statement by a decorator:

    class TurnQuerySet(PreparedQuerySet["Turn"]):
        @prepared.one
        def epoch_of(self, turn: int) -> QuerySet[Turn, int]:
            return self.filter(pk=turn).values_list("epoch", flat=True)

    Turn.objects.epoch_of(7)

The method runs once for each database. Its arguments are then a `Param` each, which stands for what
the field that it is compared with, or stored in, would take: so the method may not look at them,
nor have defaults. `**columns` are compiled once for each set of names. The answer is what the
queryset would give, on either database: `rows` all of it, `shared` the same, with one object for
rows that are alike, `first` the first row or None, `one` the only row, or it raises the model's
DoesNotExist. `update` takes a `Change` and answers how many rows it matched; `update_each` runs it
for a list of arguments by name. Several values (`pk__in`) are an argument each; where there may be
any number of them, an ordinary queryset is the right thing.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cache, partial, wraps
from inspect import Parameter, signature
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections, models
from django.db.models.constants import OnConflict
from django.db.models.expressions import Expression, ExpressionList
from django.db.models.sql import UpdateQuery
from django.db.models.sql.compiler import SQLCompiler

from limits.processes import MAX_SHARED_ROWS
from limits.traces import MAX_INSERTED_ROWS

P = ParamSpec("P")
Row = TypeVar("Row")
M = TypeVar("M", bound=models.Model)
Rows = TypeVar("Rows", bound="models.QuerySet[Any, Any]")
SQL = tuple[str, tuple[Any, ...]]
_Compiled = tuple["models.QuerySet[Any, Row]", SQLCompiler, SQL]


class Param(Expression):
    """Stands for a value that comes with each run."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        # The field that it is compared with or stored in. Unknown within an expression or a
        # subquery: there it has to be a number or a text.
        self.target: Any = None

    def adapted(self, value: Any, connection: Any) -> Any:
        """The value as the database's driver takes it."""
        return value if self.target is None else self.target.get_db_prep_save(value, connection)

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> Any:
        return "%s", [self]


class PreparedQuerySet(models.QuerySet[M]):
    """A queryset whose model's rows can be inserted by statements that are compiled once."""

    def insert(self, **fields: Any) -> M:
        """Stores a new row, as `create` does, without signals."""
        row = self.model(**fields)
        self.insert_all([row])
        return row

    def insert_all(self, rows: Sequence[M], unique: tuple[str, ...] = ()) -> None:
        """Stores new rows, as `bulk_create` does. With `unique`, the columns of a constraint, a
        stored row with the same values is replaced."""
        for start in range(0, len(rows), MAX_INSERTED_ROWS):
            _insert_some(rows[start : start + MAX_INSERTED_ROWS], unique)


class Change:
    """The columns that an `update` sets: a value's argument, or an expression."""

    def __init__(self, rows: "models.QuerySet[Any, Any]", **columns: Any) -> None:
        self.rows, self.columns = rows, columns


def rows(
    method: Callable[Concatenate[Rows, P], "models.QuerySet[Any, Row]"],
) -> Callable[Concatenate[Rows, P], list[Row]]:
    """All rows."""
    return _prepared(method, _Select, _Select.rows)


def shared(
    method: Callable[Concatenate[Rows, P], "models.QuerySet[Any, Row]"],
) -> Callable[Concatenate[Rows, P], list[Row]]:
    """All rows. One whose columns are as they were is the same object as before, for all threads:
    nobody may change it, and what it has computed of itself is kept with it."""
    return _prepared(method, _SharedSelect, _SharedSelect.rows)


def first(
    method: Callable[Concatenate[Rows, P], "models.QuerySet[Any, Row]"],
) -> Callable[Concatenate[Rows, P], Row | None]:
    """The first row, or None."""
    return _prepared(method, _Select, _Select.first)


def one(
    method: Callable[Concatenate[Rows, P], "models.QuerySet[Any, Row]"],
) -> Callable[Concatenate[Rows, P], Row]:
    """The only row. Raises the model's DoesNotExist."""
    return _prepared(method, _Select, _Select.one)


def update(
    method: Callable[Concatenate[Rows, P], Change],
) -> Callable[Concatenate[Rows, P], int]:
    """How many rows were matched and changed."""
    return _prepared(method, _Update, _Update.run)


def update_each(
    method: Callable[Concatenate[Rows, P], Change],
) -> Callable[[Rows, Sequence[Mapping[str, Any]]], None]:
    """Runs the update for each of the arguments by name, in one call to the database's driver."""
    statement = _by_names(method, _Update)

    @wraps(method)
    def wrapper(queryset: Rows, each: Sequence[Mapping[str, Any]]) -> None:
        if each:
            statement(queryset, tuple(each[0])).run_each(each)

    return wrapper


def _prepared(
    method: Callable[..., Any], statement: Callable[..., Any], run: Callable[..., Any]
) -> Callable[..., Any]:
    """The method as a statement that is compiled once for each set of arguments' names."""
    names = [
        parameter.name
        for parameter in list(signature(method).parameters.values())[1:]
        if parameter.kind is Parameter.POSITIONAL_OR_KEYWORD
    ]
    by_names = _by_names(method, statement)

    @wraps(method)
    def wrapper(queryset: "models.QuerySet[Any, Any]", *args: Any, **kwargs: Any) -> Any:
        values = dict(zip(names, args, strict=False)) | kwargs
        return run(by_names(queryset, tuple(values)), values)

    return wrapper


def _by_names(
    method: Callable[..., Any], statement: Callable[..., Any]
) -> Callable[["models.QuerySet[Any, Any]", tuple[str, ...]], Any]:
    """Makes the method's statement for arguments of these names, once."""
    statements: dict[tuple[str, ...], Any] = {}

    def find(queryset: "models.QuerySet[Any, Any]", names: tuple[str, ...]) -> Any:
        if queryset.query.where:
            raise TypeError(f"{method.__name__} is prepared: call it on the model's manager")
        if names not in statements:
            build = partial(method, queryset, **{name: Param(name) for name in names})
            statements[names] = statement(build)
        return statements[names]

    return find


class _Select(Generic[Row]):
    """Compiled from the queryset that `build` makes: of instances, or of `values_list`."""

    def __init__(self, build: Callable[[], "models.QuerySet[Any, Row]"]) -> None:
        self._build = build
        self._compiled: dict[str, _Compiled[Row]] = {}
        self._here = threading.local()

    def rows(self, values: Mapping[str, Any]) -> list[Row]:
        return self._reader().rows(values)

    def _reader(self) -> "_Reader[Row]":
        connection = _connection()
        reader: _Reader[Row] | None = getattr(self._here, "reader", None)
        if reader is None or reader.connection is not connection:
            reader = self._here.reader = _Reader(self._compiled_for(connection), connection)
        return reader

    def first(self, values: Mapping[str, Any]) -> Row | None:
        return next(iter(self.rows(values)), None)

    def one(self, values: Mapping[str, Any]) -> Row:
        rows = self.rows(values)
        if not rows:
            raise self._build().model.DoesNotExist(f"no row for {values}")
        (only,) = rows
        return only

    def _compiled_for(self, connection: Any) -> "_Compiled[Row]":
        compiled = self._compiled.get(connection.vendor)
        if compiled is None:
            queryset = self._build()
            _bind(queryset.query.where)
            compiler = queryset.query.get_compiler(connection=connection)
            sql, params = compiler.as_sql()
            # Each thread has its own: this one's may be closed by then.
            compiler.connection = None
            compiled = queryset, compiler, (sql, tuple(params))
            self._compiled[connection.vendor] = compiled
        return compiled


class _SharedSelect(_Select[Row]):
    """Keeps what it has made of a row by the row's columns, as the database's driver gives them."""

    def __init__(self, build: Callable[[], "models.QuerySet[Any, Row]"]) -> None:
        super().__init__(build)
        self._made: dict[tuple[Any, ...], Row] = {}

    def rows(self, values: Mapping[str, Any]) -> list[Row]:
        reader = self._reader()
        raw = reader.raw(values)
        made = self._made
        if unknown := [row for row in raw if row not in made]:
            fresh = dict(zip(unknown, reader.made_of(unknown), strict=True))
            # Another thread may read the old one meanwhile.
            is_full = len(made) + len(fresh) > MAX_SHARED_ROWS
            made = self._made = fresh if is_full else made | fresh
        return [made[row] if row in made else reader.made_of([row])[0] for row in raw]


class _Reader(Generic[Row]):
    """A statement as one thread runs it, again and again, with its connection.

    How the columns become values is looked up once: for a wide row that costs several times what
    reading it does.
    """

    def __init__(self, compiled: "_Compiled[Row]", connection: Any) -> None:
        queryset, compiler, self._sql = compiled
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

    def raw(self, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """The rows as the database's driver gives them."""
        with self.connection.cursor() as cursor:
            cursor.execute(*_filled(self._sql, values, self.connection))
            return list(map(tuple, cursor.fetchall()))

    def made_of(self, raw: list[tuple[Any, ...]]) -> list[Row]:
        """What the queryset gives for these rows."""
        self._compiler.execute_sql = lambda *args, **kwargs: [raw]
        try:
            return list(self._queryset._iterable_class(self._queryset))
        finally:
            del self._compiler.execute_sql

    def rows(self, values: Mapping[str, Any]) -> list[Row]:
        statement = _filled(self._sql, values, self.connection)
        self._compiler.as_sql = lambda *args, **kwargs: statement
        return list(self._queryset._iterable_class(self._queryset))


class _Update:
    """Compiled from the change that `build` makes."""

    def __init__(self, build: Callable[[], Change]) -> None:
        self._build = build
        self._compiled: dict[str, SQL] = {}

    def run(self, values: Mapping[str, Any]) -> int:
        connection = _connection()
        with connection.cursor() as cursor:
            cursor.execute(*_filled(self._compiled_for(connection), values, connection))
            return int(cursor.rowcount)

    def run_each(self, each: Sequence[Mapping[str, Any]]) -> None:
        connection = _connection()
        compiled = self._compiled_for(connection)
        with connection.cursor() as cursor:
            parameters = [_filled(compiled, values, connection)[1] for values in each]
            cursor.executemany(compiled[0], parameters)

    def _compiled_for(self, connection: Any) -> "SQL":
        compiled = self._compiled.get(connection.vendor)
        if compiled is None:
            compiled = self._compiled[connection.vendor] = self._compile(connection)
        return compiled

    def _compile(self, connection: Any) -> "SQL":
        change = self._build()
        query: Any = change.rows.query.chain(UpdateQuery)
        _bind(query.where)
        query.add_update_values(_bound(change.rows.model, change.columns))
        sql, params = query.get_compiler(connection=connection).as_sql()
        return sql, tuple(params)


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
    """Sets the field of each `Param` in a condition: the one that it is compared with."""
    for part in condition.children:
        if hasattr(part, "children"):
            _bind(part)
            continue
        rhs = getattr(part, "rhs", None)
        for value in rhs.get_source_expressions() if isinstance(rhs, ExpressionList) else [rhs]:
            if isinstance(value, Param):
                value.target = part.lhs.output_field


def _bound(model: type[models.Model], columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns' values, each `Param` with the field that it is stored in."""
    bound = {name: copy(value) for name, value in columns.items()}
    for name, value in bound.items():
        if isinstance(value, Param):
            value.target = model._meta.get_field(name)
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
    """The clause for a stored row that has the same values in these columns."""
    others = [field.column for field in fields if field.name not in unique]
    same = [field.column for field in fields if field.name in unique]
    ops = _connection().ops
    return f" {ops.on_conflict_suffix_sql(fields, OnConflict.UPDATE, others, same)}"


def _filled(compiled: SQL, values: Mapping[str, Any], connection: Any) -> SQL:
    sql, params = compiled
    return sql, tuple(
        p.adapted(values[p.name], connection) if isinstance(p, Param) else p for p in params
    )


def _connection() -> Any:
    """This thread's own, without the look-ups of Django's proxy at every attribute."""
    return connections[DEFAULT_DB_ALIAS]
