"""Traces and spans for admins. They are evidence: to be read and deleted, never changed."""

from datetime import timedelta
from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.auth import get_user_model
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from db.literals import Literal
from languages.later import later
from tracing.admin_paging import CappedPaginator
from tracing.admin_search import SearchedAdmin
from tracing.formatting.figures import duration
from tracing.formatting.text import visible
from tracing.models import Archive, Span, Trace


class EvidenceAdmin(SearchedAdmin):
    paginator = CappedPaginator
    show_full_result_count = False
    list_per_page = 50

    @admin.display(description=later("name"))
    def shown_name(self, row: Trace | Span) -> str:
        return visible(row.name)

    @admin.display(description=later("duration"))
    def elapsed(self, row: Trace | Span) -> str:
        length: timedelta | None = row.elapsed(timezone.now())
        return duration(length) or gettext("not started")


class HasOwner(admin.SimpleListFilter):
    title = later("owner")
    parameter_name = "owner"
    most = 100

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        owners = get_user_model().objects.filter(
            Exists(Archive.objects.filter(owner=OuterRef("pk")))
        )
        names = owners.order_by("username").values_list("username", flat=True)
        return [(name, visible(name)) for name in names[: self.most]]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Trace]) -> QuerySet[Trace]:
        chosen = self.value() or ""
        return queryset.filter(owner__username=chosen) if chosen else queryset


@admin.register(Trace)
class TraceAdmin(EvidenceAdmin):
    search_fields = ("name", "owner__username", "owner__email")
    search_help_text = later(
        "Words of the name or of the texts of the trace, the owner's name or e-mail, or the id of "
        "a trace, a span or an archive"
    )
    id_fields = ("public_id", "spans__public_id", "archive__public_id")
    trace_field = "pk"
    list_display = ("shown_name", "status", "owner", "started", "elapsed", "page")
    list_filter = ("status", "started", HasOwner)
    list_select_related = ("owner",)
    ordering = ("-started", "-id")

    @admin.display(description=later("owner"))
    def owner(self, trace: Trace) -> str:
        return str(trace.owner)

    @admin.display(description=later("trace"))
    def page(self, trace: Trace) -> SafeString:
        return format_html('<a href="{}">{}</a>', trace.get_absolute_url(), gettext("Open"))


class HasError(admin.SimpleListFilter):
    title = later("error")
    parameter_name = "error"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", gettext("With an error")), ("no", gettext("Without"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Span]) -> QuerySet[Span]:
        none = Q(error="")
        chosen: dict[str | None, Q] = {"yes": ~none, "no": none}
        return queryset.filter(chosen.get(self.value(), Q()))


@admin.register(Span)
class SpanAdmin(EvidenceAdmin):
    search_fields = ("name", "error")
    search_help_text = later("Words of the name or of the error, or the id of a span or a trace")
    id_fields = ("public_id", "trace__public_id")
    list_display = ("shown_name", "kind", "number", "status", "started", "elapsed", "page")
    list_filter: ClassVar[Any] = ("kind", "status", HasError, "created")
    list_select_related = ("trace",)
    ordering = ("-id",)

    # They go with their trace: the engine runs from those of a running one.
    deletable = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Span]:
        """With the condition of the index `span_kind_newest`."""
        rows: QuerySet[Span] = super().get_queryset(request)
        return rows.filter(kind__gt=Literal(""))

    @admin.display(description=later("trace"))
    def page(self, span: Span) -> SafeString:
        address = reverse("tracing:trace", args=[span.trace.public_id])
        return format_html('<a href="{}">{}</a>', address, gettext("Open"))
