"""The dashboard: who sees it, and that its figures are those of the traces."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tracing.dashboard import live
from tracing.dashboard.page import Page, page
from tracing.digest import digest_pending
from tracing.models import Measure, Span, Trace
from tracing.tests.builders import ATurn, a_user
from tracing.tests.test_digest import a_turn

pytestmark = pytest.mark.django_db

URL = "/traces/dashboard/"


@pytest.fixture
def admin(client: Client) -> Client:
    client.force_login(a_user(is_staff=True))
    return client


def counted(*turns: ATurn) -> None:
    assert digest_pending(100) == len(turns)


def shown(**query: str) -> Page:
    return page(query, timezone.now())


def total(name: str, found: Page) -> str:
    return next(chart.total for chart in found.charts if chart.name == name)


def rows(name: str, found: Page) -> dict[str, list[str]]:
    table = next(table for table in found.tables if table.name == name)
    return {row.key.name: [cell.text for cell in row.cells] for row in table.rows}


def text(response: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", response.content.decode()))


def test_staff_see_it(admin: Client) -> None:
    assert admin.get(URL).status_code == 200


def test_for_other_users_there_is_no_such_page(client: Client) -> None:
    client.force_login(a_user())
    assert client.get(URL).status_code == 404


def test_who_is_not_signed_in_is_asked_to(client: Client) -> None:
    response = client.get(URL)
    assert response.status_code == 302
    assert response.headers["Location"].startswith("/accounts/login/")


def test_before_any_turn_has_ended_it_says_so(admin: Client) -> None:
    assert "No turn has ended yet" in text(admin.get(URL))


def test_it_says_so_if_nothing_ended_in_the_period(admin: Client) -> None:
    turn = a_turn()
    Trace.objects.filter(pk=turn.trace.pk).update(ended=timezone.now() - timedelta(days=60))
    counted(turn)
    assert "Nothing ended in the last 24 hours" in text(admin.get(URL))
    assert "Nothing ended" not in text(admin.get(URL, {"period": "90d"}))


@pytest.mark.parametrize("period", ["24h", "7d", "30d", "90d"])
def test_the_charts_have_the_sums_of_the_traces(period: str) -> None:
    counted(a_turn(), a_turn(), a_turn("failed"), a_turn("stopped"))
    found = shown(period=period)
    assert total("turns", found) == "4"
    assert total("rounds", found) == "8"
    assert total("calls", found) == "4"
    assert total("errors", found) == str(1 + 4 + 4)
    assert total("tokens", found) == "8,400"
    assert total("cost", found) == "$0.0096"


def test_a_chart_has_its_figures_where_they_belong() -> None:
    turn = a_turn()
    Trace.objects.filter(pk=turn.trace.pk).update(ended=timezone.now() - timedelta(hours=3))
    counted(turn)
    moment = timezone.now().astimezone(UTC) - timedelta(hours=3)
    wanted = f'<th scope="row">{moment:%H}:00</th><td class="number">1</td>'
    assert wanted in shown().values
    assert (
        shown().values.count('<td class="number">1</td>') == 4
    )  # turn, failed call, errors of two kinds


def test_models_and_tools_have_a_row_each() -> None:
    counted(a_turn())
    found = shown()
    assert rows("models", found)["qwen"][:3] == ["3", "1", "1"]
    assert rows("tools", found)["read_query"][:2] == ["1", "1"]
    assert rows("servers", found)["sqlite"][:2] == ["1", "1"]


def test_percentiles_are_those_of_the_calls() -> None:
    turns = []
    for number in range(100):
        turn = ATurn()
        turn.a_round(1, (0, 2000))
        noted = {"server": "sqlite", "tool": "read_query"}
        turn.a_call({}, (0, 10 * (number + 1)), 1, attributes=noted)
        turn.end(2000)
        turns.append(turn)
    counted(*turns)
    figures = [int(text.split()[0]) for text in rows("tools", shown())["read_query"][2:5]]
    assert figures == [pytest.approx(truth, rel=0.05) for truth in (500, 900, 950)]


def test_tables_are_sorted_by_what_the_url_says() -> None:
    turn = ATurn()
    turn.a_round(1, (0, 100))
    for number, (name, count) in enumerate({"b": 1, "a": 3, "c": 2}.items()):
        for call in range(count):
            noted = {"server": "s", "tool": name}
            turn.a_call({}, (0, 10), 1 + 10 * number + call, attributes=noted)
    turn.end(100)
    counted(turn)
    assert list(rows("tools", shown())) == ["a", "c", "b"]
    assert list(rows("tools", shown(tools="count"))) == ["b", "c", "a"]
    assert list(rows("tools", shown(tools="name"))) == ["a", "b", "c"]
    assert list(rows("tools", shown(tools="-nonsense"))) == ["a", "c", "b"]


def test_a_failing_tool_is_named_with_its_error_and_its_trace(admin: Client) -> None:
    turn = a_turn()
    counted(turn)
    call = Span.objects.get(kind="tool")
    page_text = admin.get(URL).content.decode()
    assert "no such table" in page_text
    assert f"/traces/{turn.trace.public_id}/?round=1#span-{call.public_id}" in page_text


def test_a_trace_that_is_gone_leaves_its_figures_and_not_what_was_said(admin: Client) -> None:
    turn = a_turn()
    counted(turn)
    turn.archive.delete()
    page_text = admin.get(URL).content.decode()
    assert "What it said went with its trace" in page_text and "read_query" in page_text
    assert "no such table" not in page_text and "/?round=" not in page_text


def test_open_turns_and_who_waits_are_shown() -> None:
    turn = ATurn()
    turn.a_round(1, (0, None), status="running")
    turn.a_call({}, (0, None), 1, status="awaiting_approval")
    found = shown()
    assert [trace.pk for trace in found.live.open_turns] == [turn.trace.pk]
    assert (found.live.open_count, found.live.waiting) == (1, 1)


def test_without_redis_the_rest_is_shown(admin: Client) -> None:
    counted(a_turn())
    said = text(admin.get(URL))
    assert "Redis does not answer" in said and "Tool calls" in said


def test_what_is_fetched_every_few_seconds_is_the_body_alone(admin: Client) -> None:
    body = admin.get(URL, {"part": "1"}).content.decode()
    assert "<html" not in body and "Dashboard" in body


def test_names_are_escaped(admin: Client) -> None:
    turn = ATurn()
    turn.a_round(1, (0, 100))
    noted = {"server": "<i>", "tool": '"><script>alert(1)</script>'}
    turn.a_call({"shown": b"<b>bad</b>"}, (0, 10), 1, status="failed", attributes=noted)
    turn.end(100)
    counted(turn)
    body = admin.get(URL, {"tools": '"><script>'}).content.decode()
    assert "<script>alert" not in body and "<b>bad" not in body and '"><script>' not in body


def test_there_is_no_inline_style(admin: Client) -> None:
    counted(a_turn())
    body = admin.get(URL).content.decode()
    assert "style=" not in body and "<style" not in body


def test_its_queries_do_not_grow(admin: Client) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            admin.get(URL, {"period": "90d"})
        return len(captured)

    counted(a_turn())
    few = queries()
    measures_of_90_days(tools=5)
    assert queries() == few


def measures_of_90_days(tools: int, now: Callable[[], datetime] = timezone.now) -> None:
    today = now().astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    Measure.objects.bulk_create(
        Measure(
            period="day",
            hour=today - timedelta(days=day),
            kind="tool",
            group="server",
            name=f"tool {number}",
            count=10,
            total_ms=1000,
            cost=Decimal(0),
            durations={"20": 6, "30": 4},
        )
        for day in range(1, 90)
        for number in range(tools)
    )


@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite plans without statistics")
@pytest.mark.parametrize("look", [live.look, live.open_turns, live.waiting_for_people])
def test_what_goes_on_is_found_without_looking_at_what_ended(look: Callable[[], Any]) -> None:
    with CaptureQueriesContext(connection) as queries:
        look()
    asked = [query["sql"] for query in queries if "'running'" in query["sql"]]
    with connection.cursor() as cursor:
        plans = [str(cursor.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall()) for sql in asked]
    assert plans
    assert not [plan for plan in plans if "_kind_newest" in plan]
