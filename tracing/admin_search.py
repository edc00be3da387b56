"""Searching lists of Django's admin: by id, by the words of columns, and by those of traces."""

from typing import Any, ClassVar

from django.db.models import Q, QuerySet
from django.http import HttpRequest

from db.admin import FixedAdmin
from db.public_ids import parse_public_id
from tracing.models import Trace
from tracing.permissions import may_view_traces
from tracing.search.matching import search
from tracing.search.query import parse


class SearchedAdmin(FixedAdmin):
    """A whole id is looked up in `id_fields` alone. Else each word has to be in one of
    `search_fields`, or all of them in the texts of a trace at `trace_field`; texts are searched
    for who may see traces, since what is found tells what is in them."""

    id_fields: ClassVar[tuple[str, ...]] = ("public_id",)
    trace_field: ClassVar[str] = ""

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        wanted = parse_public_id(search_term.strip())
        if wanted is None:
            return self._by_words(request, queryset, search_term)
        condition = Q()
        for field in self.id_fields:
            condition |= Q(**{field: wanted})
        return queryset.filter(pk__in=self._rows().filter(condition).values("pk")), False

    def _by_words(
        self, request: HttpRequest, queryset: QuerySet[Any], words: str
    ) -> tuple[QuerySet[Any], bool]:
        found, repeats = super().get_search_results(request, queryset, words)
        may_see = may_view_traces(request.user)
        if not (self.trace_field and parse(words) and may_see):
            return found, repeats
        traces = search(words, Trace.objects.all()).values("pk")
        texts = self._rows().filter(**{f"{self.trace_field}__in": traces}).values("pk")
        return queryset.filter(Q(pk__in=found.values("pk")) | Q(pk__in=texts)), False

    def _rows(self) -> QuerySet[Any]:
        rows: QuerySet[Any] = self.model._default_manager.order_by()
        return rows
