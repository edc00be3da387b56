"""Constants that are written into a statement instead of being its parameters."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Value


class Literal(Value):
    """A text in the statement itself.

    SQLite uses an index with a condition only for statements that have the same condition, and
    does not look into parameters of `IN`.
    """

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        quoted = str(self.value).replace("'", "''").replace("%", "%%")
        return f"'{quoted}'", []


def literals(values: Iterable[str]) -> list[Literal]:
    """For `column__in`, in the order of the index's condition."""
    return [Literal(value) for value in values]


class Number(Value):
    """An integer in the statement itself."""

    def __init__(self, value: int) -> None:
        super().__init__(value)

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        return str(self.value), []
