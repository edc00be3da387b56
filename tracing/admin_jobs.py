"""Base class of admin pages for jobs: who asked for what, and what became of it."""

from typing import Any, ClassVar

from tracing.admin_paging import CappedPaginator
from tracing.admin_search import SearchedAdmin


class JobAdmin(SearchedAdmin):
    """Rows of a `jobs.models.Job`, without what was asked or found, which is its owner's. They are
    deleted by their own retention."""

    # The columns of every job.
    of_job: ClassVar[tuple[str, ...]] = ("state", "error", "created", "changed")

    list_display: Any = ("state", "created", "changed", "error")
    list_filter: ClassVar[Any] = ("state", "created")
    list_select_related: ClassVar[Any] = ("user",)
    search_fields: ClassVar[Any] = ("user__username", "user__email", "error")
    paginator = CappedPaginator
    show_full_result_count = False
    list_per_page = 50
    ordering = ("-id",)
    deletable = False
