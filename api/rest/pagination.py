"""Lists by cursor: a page begins after the last row of the one before, wherever it stands now.

A cursor is signed, so that it can only be one that was given out, for the same list.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from django.core import signing
from django.db.models import Model, Q, QuerySet
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext
from ninja import Query, Schema
from pydantic import Field

from api.problems import INVALID, Problem
from limits.api import MAX_API_CURSOR, MAX_API_PAGE

T = TypeVar("T")
Row = TypeVar("Row", bound=Model)
DEFAULT_PAGE = 50


class Page(Schema, Generic[T]):
    items: list[T]
    next: str | None = Field(
        description="The `cursor` of the next page; null if this one is the last."
    )


class Paging(Schema):
    """The parameters of a list."""

    cursor: str = Field("", max_length=MAX_API_CURSOR, description="`next` of the page before.")
    limit: int = Field(DEFAULT_PAGE, ge=1, le=MAX_API_PAGE, description="Items of a page.")


ListPage = Annotated[Paging, Query()]


@dataclass(frozen=True)
class Order:
    """By a column, the greatest first unless `ascending`, then by primary key."""

    column: str = ""
    ascending: bool = False
    is_time: bool = False

    def apply(self, rows: "QuerySet[Row]") -> "QuerySet[Row]":
        names = [self.column, "pk"] if self.column else ["pk"]
        return rows.order_by(*(name if self.ascending else f"-{name}" for name in names))

    def after(self, values: list[Any]) -> Q:
        """The rows that follow the one with these values of column and key."""
        operator = "gt" if self.ascending else "lt"
        if not self.column:
            return Q(**{f"pk__{operator}": values[0]})
        value = parse_datetime(values[0]) if self.is_time else values[0]
        beyond = Q(**{f"{self.column}__{operator}": value})
        return beyond | Q(**{self.column: value, f"pk__{operator}": values[1]})

    def values(self, row: Model) -> list[Any]:
        if not self.column:
            return [row.pk]
        value = getattr(row, self.column)
        return [value.isoformat() if self.is_time else value, row.pk]


NEWEST = Order()
BY_NAME = Order("name", ascending=True)


def page_of(
    rows: "QuerySet[Row]", paging: Paging, order: Order, shape: Callable[[Row], Any], name: str
) -> dict[str, Any]:
    """A page of `rows`; `name` is the list's own, for its cursors."""
    values = read_cursor(paging.cursor, name)
    if values is not None:
        rows = rows.filter(order.after(values))
    found = list(order.apply(rows)[: paging.limit + 1])
    shown = found[: paging.limit]
    more = len(found) > len(shown)
    return {
        "items": [shape(row) for row in shown],
        "next": write_cursor(order.values(shown[-1]), name) if more else None,
    }


def whole(items: list[Any]) -> dict[str, Any]:
    """A list that is short enough to be one page."""
    return {"items": items, "next": None}


def write_cursor(values: list[Any], name: str) -> str:
    return signing.dumps(values, salt=f"api.cursor.{name}")


def read_cursor(cursor: str, name: str) -> Any:
    """None without one. Raises `Problem`."""
    if not cursor:
        return None
    try:
        return signing.loads(cursor, salt=f"api.cursor.{name}")
    except signing.BadSignature as error:
        why = gettext("This cursor is not one of this list. Begin again without it.")
        errors = [{"where": "cursor", "why": why}]
        raise Problem(INVALID, why, {"errors": errors}) from error
