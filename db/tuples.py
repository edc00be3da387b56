"""A condition on several columns at once."""

from collections.abc import Collection, Sequence
from typing import Any

from django.db import connection, models
from django.db.models.expressions import RawSQL


def among(
    model: type[models.Model], names: Sequence[str], rows: Collection[Sequence[Any]]
) -> RawSQL:
    """Whether the fields of these names have the values of one of `rows`, of which there is at
    least one: a condition for `filter`, for which both databases use an index.

    One condition a row, joined by OR, would cost Django more than reading the rows does.
    """
    fields: list[Any] = [model._meta.get_field(name) for name in names]
    quoted = connection.ops.quote_name
    table = quoted(model._meta.db_table)
    columns = ", ".join(f"{table}.{quoted(field.column)}" for field in fields)
    # SQLite uses no index for `IN (VALUES …)`.
    chosen = ", ".join(f"column{place}" for place in range(1, len(fields) + 1))
    row_places = f"({', '.join(['%s'] * len(fields))})"
    values = ", ".join([row_places] * len(rows))
    params = [
        field.get_db_prep_value(value, connection)
        for row in rows
        for field, value in zip(fields, row, strict=True)
    ]
    sql = f"({columns}) IN (SELECT {chosen} FROM (VALUES {values}) AS chosen)"
    return RawSQL(sql, params, output_field=models.BooleanField())
