"""Pages of a table too large to be counted."""

from functools import cached_property

from django.core.paginator import Paginator
from django.db.models import QuerySet


class CappedPaginator(Paginator):
    """Counts as far as somebody might page by hand, and not through a million rows.

    What is older than that is reached by filters and search.
    """

    MOST = 10_000

    @cached_property
    def count(self) -> int:
        assert isinstance(self.object_list, QuerySet)
        return self.object_list.order_by().values("pk")[: self.MOST].count()
