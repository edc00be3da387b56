"""The turns of subagents in the trace of the turn that began them."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tracing.journal import subagents, trace_rounds
from tracing.models import Metric, Trace
from tracing.stats.aggregates import ended_traces
from tracing.tests.builders import ATurn, a_user, wire
from tracing.tests.page.pages import ANSWER, QUESTION, SYSTEM, Page

pytestmark = pytest.mark.django_db

USED = {"usage": {"prompt_tokens": 100, "completion_tokens": 10}, "model": "qwen"}


def with_subagents(count: int = 2) -> ATurn:
    """One round whose calls of `task` ran at the same time, each with two rounds of its own."""
    turn = ATurn(a_user())
    turn.a_round(1, (0, 1000))
    turn.a_generation(
        {"request": wire({"messages": [SYSTEM, QUESTION]})}, (0, 100), attributes=USED
    )
    for number in range(1, count + 1):
        call = turn.a_call({"shown": b"Found."}, (100 + number, 900), number, name="task")
        inner = turn.a_subagent(call, f"Part {number}")
        for place in (1, 2):
            begin = 200 + 300 * (place - 1)
            inner.a_round(place, (begin, begin + 250))
            asked = {"messages": [SYSTEM, ANSWER]}
            inner.a_generation({"request": wire(asked)}, (begin, begin + 200), attributes=USED)
            inner.a_call({"shown": b"42"}, (begin + 200, begin + 240), 1, name="calculate")
        inner.end(850)
    turn.end(1000)
    return turn


@pytest.fixture
def turn() -> ATurn:
    return with_subagents()


@pytest.fixture
def page(turn: ATurn, client: Client) -> Page:
    return Page(turn, client, turn.archive.owner)


def inner_of(turn: ATurn, number: int = 1) -> Trace:
    return Trace.objects.get(parent__trace=turn.trace, parent__number=number)


def tree(html: str) -> str:
    return html.split('aria-label="Rounds"')[1].split("</nav>")[0]


def test_below_a_task_are_the_rounds_attempts_and_calls_of_its_subagent(
    page: Page, turn: ATurn
) -> None:
    below = tree(page.get()).split('class="nested"')[1]
    address = inner_of(turn).get_absolute_url()
    for row in (f'href="{address}?round=1"', f'href="{address}?round=2"', "chat · qwen"):
        assert row in below
    assert "calculate" in below
    assert "2 rounds, 2 calls" in below
    assert "200 → 20 tokens" in below


def test_bars_of_subagents_stand_in_the_time_of_the_turn_above(page: Page) -> None:
    first, second = tree(page.get()).split('class="nested"')[1:]
    bars = [re.findall(r'x="([\d.]+)" y="0" width="([\d.]+)"', half) for half in (first, second)]
    assert ("200.0", "200.0") in bars[0]
    assert bars[0][:3] == bars[1][:3]


def test_the_number_of_queries_does_not_grow_with_subagents(client: Client) -> None:
    counts = []
    for count in (1, 5):
        turn = with_subagents(count)
        page = Page(turn, client, turn.archive.owner)
        page.get()
        with CaptureQueriesContext(
            connection,
        ) as captured:
            page.get()
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_a_turn_without_subagents_asks_for_none(turn: ATurn) -> None:
    calls = [call for found in trace_rounds.rounds(inner_of(turn)) for call in found.calls]
    with CaptureQueriesContext(connection) as captured:
        assert subagents.nested_turns(calls, calls) == {}
    assert len(captured) == 0


def test_a_counted_one_that_is_not_listed_is_not_read(turn: ATurn) -> None:
    calls = trace_rounds.rounds(turn.trace)[0].calls
    for trace in Trace.objects.filter(kind="subagent"):
        ended_traces.aggregate(trace)
    found = subagents.nested_turns(calls, [])
    assert [one.rounds for one in found.values()] == [[], []]
    assert subagents.total(found).tokens_in == 400


def test_the_head_tells_the_turn_s_own_figures_and_those_of_all(page: Page) -> None:
    head = page.get().split("</header>")[1]
    assert "<span>100 → 10 tokens</span>" in head
    assert "with 2 subagents 500 → 50 tokens" in head


def test_a_subagent_s_page_says_where_it_belongs(page: Page, turn: ATurn) -> None:
    inner = inner_of(turn)
    head = page.client.get(inner.get_absolute_url()).content.decode().split("</header>")[1]
    assert f'href="{turn.trace.get_absolute_url()}"' in head
    assert "Turn 1" in head
    assert inner.parent is not None
    assert f"?round=1&amp;span={inner.parent.public_id}" in head
    assert "task: <bdi>Part 1</bdi>" in head


def test_the_time_of_subagents_is_a_share_of_its_own(page: Page) -> None:
    ledger = page.get().split("Where the time of the turn went")[1].split("ledger-sum")[0]
    assert "subagents" in ledger
    shares = re.findall(r"([\d.]+) %</span></li>", ledger)
    assert sum(map(float, shares)) == pytest.approx(100)


def test_the_lists_say_how_many_subagents_a_turn_began(page: Page, turn: ATurn) -> None:
    listed = page.client.get("/traces/").content.decode()
    assert "2 subagents</span>" in listed
    assert "Part 1" not in listed
    archive = page.client.get(f"/traces/archives/{turn.archive.public_id}/").content.decode()
    assert "<span>2 subagents</span>" in archive


def test_nothing_is_counted_twice(turn: ATurn) -> None:
    for trace in Trace.objects.all():
        ended_traces.aggregate(trace)
    rows = Metric.objects.filter(period="ever")
    turns = rows.get(kind="turn", group="turn")
    assert (turns.count, turns.rounds, turns.tokens_in) == (1, 1, 100)
    models = rows.filter(kind="generation")
    assert [(one.count, one.tokens_in) for one in models] == [(5, 500)]
    assert {one.name: one.count for one in rows.filter(kind="tool")} == {"task": 2, "calculate": 4}


def test_another_user_sees_none_of_it(turn: ATurn, client: Client) -> None:
    client.force_login(a_user())
    assert client.get(inner_of(turn).get_absolute_url()).status_code == 404


def test_the_call_leads_to_the_trace_of_its_subagent(page: Page, turn: ATurn) -> None:
    call = inner_of(turn, 2).parent
    assert call is not None
    article = page.get().split(f'id="span-{call.public_id}"')[1].split("</article>")[0]
    assert f'href="{inner_of(turn, 2).get_absolute_url()}"' in article
    assert "2 rounds, 2 calls, 200 → 20 tokens" in article


def test_a_long_one_lists_its_first_rounds_and_how_many_more(page: Page, turn: ATurn) -> None:
    Trace.objects.filter(kind="subagent").update(digested=turn.start, rounds=45)
    assert "5 more rounds: Trace of the subagent" in tree(page.get())
