from datetime import timedelta
from typing import Any, ClassVar
from unittest import mock

import pytest
from django.contrib.auth.models import User
from django.http import QueryDict
from django.test import TestCase
from django.utils import timezone

from tracing.list import query as finding
from tracing.list.trace_filter import read
from tracing.models import Trace
from tracing.search import index
from tracing.tests.builders import a_user
from tracing.tests.listing.builders import a_trace

pytestmark = pytest.mark.postgres


def names(user: User, query: str) -> list[str]:
    """The names on all pages of a list, which are to be short."""
    trace_filter = read(QueryDict(query), timezone.get_current_timezone())
    found: list[str] = []
    while True:
        page = finding.page(user, trace_filter)
        found += [trace.name for trace in page.traces]
        if not page.more:
            return found
        changes: dict[str, Any] = {"after": page.traces[-1].public_id}
        trace_filter = read(
            QueryDict(trace_filter.address(**changes)[1:]), timezone.get_current_timezone()
        )


class Lists(TestCase):
    """Whether few fit a condition decides how they are found, and changes nothing of what is."""

    few = 2_000
    staff: ClassVar[User]
    owner: ClassVar[User]
    other: ClassVar[User]

    @classmethod
    def setUpTestData(cls) -> None:
        cls.staff, cls.owner, cls.other = (
            a_user(is_superuser=True),
            a_user(),
            a_user(),
        )
        qwen = {"model": "qwen", "tool": "read_query"}
        a_trace(cls.owner, "old", 9_000, facets=qwen, duration_ms=10, tokens=5, cost="0.5")
        a_trace(cls.owner, "slow", 50, facets=qwen, duration_ms=9_000, tokens=70, has_error=True)
        a_trace(cls.owner, "dear", 40, facets={"model": "big"}, duration_ms=400, cost="9")
        a_trace(cls.owner, "broken", 30, facets=qwen, status="failed", tokens=8, has_retry=True)
        a_trace(cls.other, "theirs", 20, facets=qwen, kind="probe", duration_ms=20)
        a_trace(cls.owner, "part", 35, facets=qwen, kind="subagent")
        a_trace(cls.owner, "running", 1, status="running", ended=None)
        for trace in Trace.objects.all():
            index.write({trace.pk: f"{trace.name} 查询结果"})

    def setUp(self) -> None:
        for name, value in (("CANDIDATES", self.few), ("PAGE_SIZE", 2)):
            patch = mock.patch.object(finding, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def finds(self, query: str, *expected: str) -> None:
        assert names(self.staff, query) == list(expected), query

    def test_the_newest_are_first_and_running_ones_are_among_them(self) -> None:
        self.finds("", "running", "theirs", "broken", "dear", "slow", "old")

    def test_a_user_sees_their_own(self) -> None:
        assert names(self.other, "") == ["theirs"]
        assert names(self.owner, "model=qwen") == ["broken", "slow", "old"]
        assert names(self.owner, "q=theirs") == []
        assert names(self.owner, f"user={self.other.username}") == []

    def test_subagents_are_shown_where_they_are_asked_for_or_words_are_found_in_them(self) -> None:
        self.finds("kind=subagent", "part")
        self.finds("q=part", "part")
        self.finds("kind=any", "running", "theirs", "broken", "part", "dear", "slow", "old")
        self.finds("kind=any&model=qwen", "theirs", "broken", "part", "slow", "old")

    def test_columns(self) -> None:
        self.finds("status=failed", "broken")
        self.finds("kind=probe", "theirs")
        self.finds("error=1", "slow")
        self.finds("retry=1", "broken")
        self.finds(f"user={self.other.username}", "theirs")
        self.finds("since=hour&status=succeeded", "theirs", "dear", "slow")

    def test_ranges(self) -> None:
        self.finds("longer=0.4", "dear", "slow")
        self.finds("shorter=0.1", "theirs", "old")
        self.finds("longer=0.015&shorter=1", "theirs", "dear")
        self.finds("more=6&fewer=10", "broken")
        self.finds("start=2001-01-01T00:00&end=2002-01-01T00:00")

    def test_what_ended_in_a_period_of_time(self) -> None:
        slow = Trace.objects.get(name="slow")
        assert slow.ended is not None
        minute = slow.ended.replace(second=0, microsecond=0)
        start, end = (f"{at:%Y-%m-%dT%H:%M}Z" for at in (minute, minute + timedelta(minutes=1)))
        self.finds(f"ended_from={start}&ended_until={end}", "slow")
        self.finds(f"ended_until={start}", "old")
        self.finds(f"ended_from={end}&sort=longest", "dear", "theirs")

    def test_facets(self) -> None:
        self.finds("model=qwen", "theirs", "broken", "slow", "old")
        self.finds("model=qwen&tool=read_query&status=succeeded", "theirs", "slow", "old")
        self.finds("model=unknown")

    def test_orders_by_a_figure_have_what_has_the_figure(self) -> None:
        self.finds("sort=longest", "slow", "dear", "theirs", "old")
        self.finds("sort=tokens", "slow", "broken", "old")
        self.finds("sort=cost", "dear", "old")
        self.finds("sort=longest&model=qwen", "slow", "theirs", "old")

    def test_each_order_is_the_other_way_round_too(self) -> None:
        self.finds("sort=oldest", "old", "slow", "dear", "broken", "theirs", "running")
        self.finds("sort=oldest&model=qwen", "old", "slow", "broken", "theirs")
        self.finds("sort=oldest&q=查询结果&model=qwen", "old", "slow", "part", "broken", "theirs")
        self.finds("sort=shortest", "old", "theirs", "dear", "slow")
        self.finds("sort=shortest&model=qwen", "old", "theirs", "slow")
        self.finds("sort=fewest-tokens", "old", "broken", "slow")
        self.finds("sort=cheapest", "old", "dear")

    def test_pages_go_on_among_equal_figures(self) -> None:
        equal = [
            a_trace(self.owner, f"equal {n}", 60 + n, rounds=4, calls=n // 3) for n in range(6)
        ]
        assert len({trace.pk for trace in equal}) == 6
        up = [trace.name for trace in equal]
        self.finds("sort=fewest-rounds", *up)
        self.finds("sort=rounds", *up[::-1])
        self.finds("sort=fewest-calls", *up)
        self.finds("sort=calls", *up[::-1])

    def test_words(self) -> None:
        self.finds("q=slow", "slow")
        self.finds("q=查询", "running", "theirs", "broken", "part", "dear", "slow", "old")
        self.finds("q=查询结果&model=qwen&sort=longest", "slow", "theirs", "old")
        self.finds("q=nothing")
        self.finds("q=%21")

    def test_what_the_address_says_wrongly_is_left_out(self) -> None:
        everything = ("running", "theirs", "broken", "dear", "slow", "old")
        self.finds(
            "status=x&kind=y&since=z&longer=nan&more=-1&sort=q&after=1&start=99", *everything
        )


class ListsByWalking(Lists):
    """Nothing is few: every list is walked in its order."""

    few = 0


class ListsBothWays(Lists):
    few = 2


class WordsOfMany(TestCase):
    """The latest traces are looked through first, then all."""

    staff: ClassVar[User]

    @classmethod
    def setUpTestData(cls) -> None:
        cls.staff = a_user(is_superuser=True)
        for number in range(12):
            facets = {"model": "qwen" if number % 5 else "rare"}
            a_trace(cls.staff, str(number), 100 - number, facets=facets)
        for trace in Trace.objects.all():
            index.write({trace.pk: f"answer {'even' if int(trace.name) % 2 == 0 else 'odd'}"})

    def setUp(self) -> None:
        for name, value in (("CANDIDATES", 0), ("PAGE_SIZE", 2), ("WINDOWS", (1, 3)), ("FIRST", 3)):
            patch = mock.patch.object(finding, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def test_what_all_have(self) -> None:
        assert names(self.staff, "q=answer") == [str(number) for number in range(11, -1, -1)]

    def test_what_is_not_among_the_latest(self) -> None:
        assert names(self.staff, "q=even&model=rare") == ["10", "0"]
        assert names(self.staff, "q=odd&model=qwen") == ["11", "9", "7", "3", "1"]

    def test_in_the_order_of_a_figure(self) -> None:
        for trace in Trace.objects.all():
            Trace.objects.filter(pk=trace.pk).update(duration_ms=int(trace.name))

        assert names(self.staff, "q=even&sort=longest") == ["10", "8", "6", "4", "2", "0"]
        assert names(self.staff, "q=odd&sort=shortest&model=rare") == ["5"]

    def test_of_few_traces_those_with_the_words(self) -> None:
        with mock.patch.object(finding, "CANDIDATES", 4):
            assert names(self.staff, "q=even&model=rare") == ["10", "0"]
            assert names(self.staff, "q=odd&model=rare") == ["5"]
            assert names(self.staff, "q=nothing&model=rare") == []
