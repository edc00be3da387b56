from typing import Any, ClassVar

from django.contrib.auth.models import User
from django.db import connection
from django.test import TestCase
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tracing.models import SearchText, Trace
from tracing.search import index
from tracing.search.document import Document
from tracing.search.texts import index_trace
from tracing.tests.builders import ATurn, a_user, wire
from tracing.tests.listing.builders import a_trace

LIST = reverse("tracing:list")


class ListPage(TestCase):
    owner: ClassVar[User]
    found: ClassVar[Trace]

    @classmethod
    def setUpTestData(cls) -> None:
        cls.owner = a_user()
        cls.found = a_trace(cls.owner, "数据库有几张表", 5, facets={"tool": "read_query"})
        index.write({cls.found.pk: "数据库有几张表 <b>There</b> are seven tables"})

    def page(self, user: User, **query: Any) -> Any:
        self.client.force_login(user)
        return self.client.get(LIST, query)

    def test_the_owner_sees_their_trace(self) -> None:
        self.assertContains(self.page(self.owner), self.found.get_absolute_url())

    def test_staff_see_it_and_whose_it_is(self) -> None:
        page = self.page(a_user(is_superuser=True))
        self.assertContains(page, self.found.get_absolute_url())
        self.assertContains(page, self.owner.username)

    def test_others_see_neither_it_nor_its_tools_nor_who_there_is(self) -> None:
        page = self.page(a_user())
        self.assertNotContains(page, "数据库")
        self.assertNotContains(page, "read_query")
        self.assertNotContains(page, self.owner.username)
        self.assertContains(page, "No traces yet")

    def test_who_is_not_signed_in_is_asked_to(self) -> None:
        self.assertRedirects(self.client.get(LIST), f"{reverse('account_login')}?next={LIST}")

    def test_what_was_found_is_marked_and_markup_is_text(self) -> None:
        page = self.page(self.owner, q="seven 几张")
        self.assertContains(page, "<mark>seven</mark>")
        self.assertContains(page, "<mark>几张</mark>")
        self.assertContains(page, "&lt;b&gt;There")

    def test_a_match_opens_the_stage_at_it(self) -> None:
        turn = ATurn(self.owner)
        turn.a_round(1, (0, 9))
        sent = {"messages": [{"role": "system", "content": "Be a quokka."}]}
        turn.a_generation({"input": wire(sent)}, (0, 5))
        call = turn.a_call({"shown": b"rows " * 5_000 + b"platypus"}, (5, 9), 1)
        turn.end(10)
        index_trace(turn.trace)
        for query, place in (
            ("quokka", "stage=input&find=quokka"),
            ("platypus", str(call.public_id)),
        ):
            href = self.page(self.owner, q=query).context["rows"][0].match_href
            assert place in href
            self.assertContains(self.client.get(href), f">{query}</mark>")

    def test_a_trace_is_found_by_the_id_of_its_span_and_only_by_who_may_see_it(self) -> None:
        turn = ATurn(self.owner)
        span = turn.a_round(1, (0, 9))
        for one in (span.public_id, turn.trace.public_id, turn.archive.public_id):
            self.assertContains(self.page(self.owner, q=str(one)), turn.trace.get_absolute_url())
            self.assertNotContains(self.page(a_user(), q=str(one)), turn.trace.get_absolute_url())

    def test_it_says_which_traces_are_searched_in_part(self) -> None:
        index.store({self.found.pk: Document("seven tables", left_out=1_234)})
        page = self.page(self.owner, q="seven")
        self.assertContains(page, "1,234 characters of this trace are not searched")
        SearchText.objects.update(version=0)
        self.assertContains(self.page(self.owner, q="seven"), "1 trace still to do")

    def test_where_nothing_fits_it_says_what_to_leave_out(self) -> None:
        page = self.page(self.owner, q="seven", tool="read_query", status="failed")
        self.assertContains(page, "No trace matches all filters")
        self.assertContains(page, "?q=seven&amp;tool=read_query")
        self.assertContains(page, "Leave out", count=1)

    def test_without_prices_the_dearest_are_the_newest_and_it_says_so(self) -> None:
        page = self.page(self.owner, sort="cost")
        self.assertContains(page, "These traces have no known prices")
        self.assertContains(page, self.found.get_absolute_url())
        self.assertNotContains(page, "No traces yet")

    def test_what_an_order_leaves_out_is_said(self) -> None:
        dear = a_trace(self.owner, "dear", 1, cost="0.5")
        page = self.page(self.owner, sort="cost")
        self.assertContains(page, dear.get_absolute_url())
        self.assertContains(page, "Traces without a known price have no place in this order")
        self.assertNotContains(page, self.found.get_absolute_url())

    def test_a_trace_that_is_not_counted_yet_is_there(self) -> None:
        Trace.objects.filter(pk=self.found.pk).update(status="running", ended=None)
        self.assertContains(self.page(self.owner), "data-running-ms")

    def test_heads_of_columns_sort_and_turn_the_order_round(self) -> None:
        Trace.objects.filter(pk=self.found.pk).update(duration_ms=5)
        page = self.page(self.owner, sort="longest", q="seven")
        self.assertContains(page, 'aria-sort="descending"', count=1)
        self.assertContains(page, f'href="{LIST}?q=seven&amp;sort=shortest"')
        self.assertContains(page, f'href="{LIST}?q=seven&amp;sort=rounds"')
        page = self.page(self.owner, sort="shortest")
        self.assertContains(page, 'aria-sort="ascending"', count=1)

    def test_the_queries_do_not_grow_with_the_rows(self) -> None:
        def count(**query: Any) -> int:
            with CaptureQueriesContext(connection) as queries:
                self.client.get(LIST, query)
            return len(queries)

        self.client.force_login(self.owner)
        before = count(q="seven", tool="read_query")
        for number in range(5):
            trace = a_trace(self.owner, f"number {number}", 9, facets={"tool": "read_query"})
            index.write({trace.pk: "seven"})
        assert count(q="seven", tool="read_query") == before
