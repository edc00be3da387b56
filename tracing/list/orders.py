"""The orders of the list: by one column, and among equal ones by primary key, in one direction, so
that a page begins behind a trace, whatever is added meanwhile."""

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
        """As `aria-sort` has it."""
        return "descending" if self.is_descending else "ascending"

    def names(self, column: str = "", key: str = "id") -> tuple[str, str]:
        """For `order_by`."""
        sign = "-" if self.is_descending else ""
        return f"{sign}{column or self.column}", f"{sign}{key}"

    def sort(self, traces: QuerySet[Trace]) -> QuerySet[Trace]:
        """Traces that have no figure yet are in no order by one."""
        return self.known(traces).order_by(*self.names())

    def sort_all(self, traces: QuerySet[Trace]) -> QuerySet[Trace]:
        """The same, and not by walking the index of this order: it has no sums."""
        figure = F(self.column) + 0
        by = figure.desc() if self.is_descending else figure.asc()
        return self.known(traces).order_by(by, self.names()[1])

    def known(self, traces: QuerySet[Trace]) -> QuerySet[Trace]:
        return traces if self.is_by_time else traces.filter(**{f"{self.column}__isnull": False})

    def behind(
        self, rows: QuerySet[Any], after: Trace | None, column: str = "", key: str = "id"
    ) -> QuerySet[Any]:
        """The rows after a trace, where they have the order's column and the key by these names."""
        value = getattr(after, self.column) if after else None
        if after is None or value is None:
            return rows
        column, way = column or self.column, "lt" if self.is_descending else "gt"
        beyond = Q(**{f"{column}__{way}": value}) | Q(**{f"{key}__{way}": after.pk})
        return rows.filter(Q(**{f"{column}__{way}e": value}) & beyond)

    def keys_behind(self, rows: Sequence[tuple[Any, int]], after: Trace | None) -> list[int]:
        """The same of rows that are known, in this order: each its figure and its primary key."""
        value = getattr(after, self.column) if after else None
        if after is None or value is None:
            return [pk for _, pk in rows]
        last = value, after.pk
        if self.is_descending:
            return [pk for key, pk in rows if (key, pk) < last]
        return [pk for key, pk in rows if (key, pk) > last]


# By what the address calls them.
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
