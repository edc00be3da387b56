"""Orders of the list: by a column and then by primary key, in the same direction, so that a page
can begin after a trace whatever is added in between."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Q, QuerySet

from tracing.models import Trace


@dataclass(frozen=True)
class Order:
    column: str
    is_descending: bool = True

    @property
    def is_by_time(self) -> bool:
        return self.column == "started"

    @property
    def direction(self) -> str:
        """The value of `aria-sort`."""
        return "descending" if self.is_descending else "ascending"

    def names(self, column: str = "", key: str = "id") -> tuple[str, str]:
        """Arguments of `order_by`."""
        sign = "-" if self.is_descending else ""
        return f"{sign}{column or self.column}", f"{sign}{key}"

    def sort(self, traces: QuerySet[Trace]) -> QuerySet[Trace]:
        """Sorts the traces; leaves out those without a value in the column."""
        return self.known(traces).order_by(*self.names())

    def sort_all(self, traces: QuerySet[Trace]) -> QuerySet[Trace]:
        """The same without the index of this order: an expression cannot use it."""
        figure = F(self.column) + 0
        by = figure.desc() if self.is_descending else figure.asc()
        return self.known(traces).order_by(by, self.names()[1])

    def known(self, traces: QuerySet[Trace]) -> QuerySet[Trace]:
        return traces if self.is_by_time else traces.filter(**{f"{self.column}__isnull": False})

    def after_trace(
        self, rows: QuerySet[Any], after: Trace | None, column: str = "", key: str = "id"
    ) -> QuerySet[Any]:
        """The rows after a trace; `column` and `key` are their names in `rows`."""
        value = getattr(after, self.column) if after else None
        if after is None or value is None:
            return rows
        column, operator = column or self.column, "lt" if self.is_descending else "gt"
        beyond = Q(**{f"{column}__{operator}": value}) | Q(**{f"{key}__{operator}": after.pk})
        return rows.filter(Q(**{f"{column}__{operator}e": value}) & beyond)

    def keys_after(self, rows: Sequence[tuple[Any, int]], after: Trace | None) -> list[int]:
        """The same for loaded rows, pairs of value and primary key in this order."""
        value = getattr(after, self.column) if after else None
        if after is None or value is None:
            return [pk for _, pk in rows]
        last = value, after.pk
        if self.is_descending:
            return [pk for key, pk in rows if (key, pk) < last]
        return [pk for key, pk in rows if (key, pk) > last]


# Orders by their names in the address.
ORDERS = {
    "newest": Order("started"),
    "oldest": Order("started", is_descending=False),
    "longest": Order("duration_ms"),
    "shortest": Order("duration_ms", is_descending=False),
    "tokens": Order("tokens"),
    "fewest-tokens": Order("tokens", is_descending=False),
    "cost": Order("cost"),
    "cheapest": Order("cost", is_descending=False),
    "rounds": Order("rounds"),
    "fewest-rounds": Order("rounds", is_descending=False),
    "calls": Order("calls"),
    "fewest-calls": Order("calls", is_descending=False),
}
