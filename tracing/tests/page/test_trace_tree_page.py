"""The trace page's ledger, tree, details, and the page of a conversation's turns."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from tracing.models import Action, Span, Trace
from tracing.tests.builders import ATurn, a_user, wire
from tracing.tests.page.pages import ANSWER, QUESTION, SYSTEM, TOOL, Page

pytestmark = pytest.mark.django_db

PRICES = {"in": "3", "cached": "0.3", "out": "15"}
USAGE = {
    "prompt_tokens": 1000,
    "completion_tokens": 100,
    "prompt_tokens_details": {"cached_tokens": 800},
}


@pytest.fixture
def turn() -> ATurn:
    """A round with an attempt that failed, one that called two tools, and a round after it."""
    turn = ATurn(a_user())
    noted = {"model": "qwen", "usage": USAGE, "prices": PRICES, "context_window": 10_000}
    turn.a_round(1, (100, 700))
    turn.a_generation(
        {}, (100, 200), 1, status="failed", error="Too many.", attributes={"retry_in_ms": 50}
    )
    first = {"messages": [SYSTEM, QUESTION], "tools": [TOOL]}
    turn.a_generation(
        {"input": wire(first), "request": wire(first)}, (250, 500), 2, attributes=noted
    )
    for number in (1, 2):
        turn.a_call({"shown": b"12"}, (510, 600), number, name=f"read_{number}")
    turn.a_round(2, (700, 1000))
    second = {"messages": [SYSTEM, QUESTION, ANSWER], "tools": [TOOL]}
    turn.a_generation({"request": wire(second)}, (700, 1000), attributes=noted)
    turn.end(1000)
    return turn


@pytest.fixture
def page(turn: ATurn, client: Client) -> Page:
    return Page(turn, client, turn.archive.owner)


def part(html: str, name: str) -> str:
    """What follows the element with this label, up to the end of its list."""
    return html.split(f'aria-label="{name}"')[1].split("</ul>")[0]


def call_of(turn: ATurn, number: int = 1) -> Span:
    return Span.objects.get(trace=turn.trace, kind="tool", number=number)


def test_the_ledger_of_the_turn_sums_to_all_of_it(page: Page) -> None:
    ledger = part(page.get(), "Where the time of the turn went")
    for text in ("queue", "100 ms", "10.0 %", "model at work", "waiting to try again", "100 %"):
        assert text in ledger
    shares = re.findall(r"([\d.]+) %</span></li>", ledger)
    assert sum(map(float, shares[:-1])) == pytest.approx(100)


def test_the_ledger_of_the_round_is_about_the_round(page: Page) -> None:
    ledger = part(page.get(round=2), "Where the time of the round went")
    assert "model at work" in ledger
    assert "queue" not in ledger
    assert "300 ms" in ledger


def test_what_goes_on_is_counted_on(page: Page, turn: ATurn) -> None:
    Trace.objects.update(started=turn.start - timedelta(hours=1), ended=None, status="running")
    ledger = part(page.get(), "Where the time of the turn went")
    assert "data-running-ms" in ledger


def test_the_tree_has_attempts_and_parallel_calls(page: Page) -> None:
    tree = page.get().split('aria-label="Rounds"')[1].split("</nav>")[0]
    for text in ("attempt 1", "attempt 2", "2 calls in parallel", "read_1", "read_2"):
        assert text in tree
    assert "1,000 → 100 tokens" in tree


def test_a_chosen_call_is_shown_first_and_its_details_beside(page: Page, turn: ATurn) -> None:
    call = call_of(turn, 2)
    html = page.get(round=1, span=str(call.public_id))
    assert html.index(f'id="span-{call.public_id}"') < html.index('id="stage-input"')
    assert "Details of the call" in html
    assert f'href="?round=1&amp;span={call.public_id}" data-swap aria-current="location"' in html


def test_a_call_that_is_not_of_the_round_is_not_chosen(page: Page, turn: ATurn) -> None:
    for span in (call_of(turn).public_id, "x", ""):
        assert "Details of the call" not in page.get(round=2, span=str(span))


def test_a_round_comes_with_what_hangs_below_it(page: Page) -> None:
    html = page.client.get(f"{page.address}rounds/1").content.decode()
    assert html.count('data-branches="1"') == 1
    assert 'data-branches="2"' not in html


def test_the_context_is_told_as_a_budget(page: Page) -> None:
    budget = page.get(round=2).split('id="budget-title"')[1].split("</section>")[0]
    for text in ("1,000</strong> tokens in", "10 %", "10,000", "system prompt", "tool definitions"):
        assert text in budget


def test_where_the_prompt_cache_ends_is_linked(page: Page) -> None:
    html = page.get(round=2)
    assert "The request only adds to the one before" in html
    assert '#request-3">message 3</a>' in html
    assert 'id="request-3"' in html
    assert "reports 800 tokens from its cache (80 %)" in html


def test_what_it_cost_is_told_for_the_turn_and_the_round(page: Page) -> None:
    html = page.get(round=2)
    assert "<span>$0.0047</span>" in html.split("</header>")[1]
    assert "<span>$0.0023</span>" in html


def test_what_people_did_is_told_and_marked(page: Page, turn: ATurn) -> None:
    owner, call = turn.archive.owner, call_of(turn)
    Action.objects.create(
        trace=turn.trace,
        span=call,
        user=owner,
        kind="deny",
        at=turn.at(550),
        detail={"reason": "<b>"},
    )
    Action.objects.create(trace=turn.trace, user=owner, kind="stop", at=turn.at(900))
    html = page.get()
    for text in ("denied read_1", "&lt;b&gt;", "stopped the turn", "+ 900 ms", owner.username):
        assert text in html
    assert html.count('class="bar-mark"') == 1


def test_an_action_of_somebody_who_is_gone_is_still_told(page: Page, turn: ATurn) -> None:
    Action.objects.create(trace=turn.trace, kind="something new")
    assert "deleted user" in page.get()
    assert "something new" in page.get()


def test_the_turns_of_a_conversation_lead_to_each_other(page: Page, turn: ATurn) -> None:
    first = turn.trace
    turn.begin("And how many rows?")
    address = turn.trace.get_absolute_url()
    assert f'href="{address}" aria-label="Turn after: And how many rows?"' in page.get()
    page.address = address
    assert f'href="{first.get_absolute_url()}" aria-label="Turn before: ' in page.get()


def archive_address(turn: ATurn) -> str:
    return f"/traces/archives/{turn.archive.public_id}/"


def test_a_conversation_lists_its_turns_with_their_rounds(page: Page, turn: ATurn) -> None:
    turn.begin("And how many rows?")
    html = page.client.get(archive_address(turn)).content.decode()
    assert html.index("数据库有几张表") < html.index("And how many rows?")
    assert f'href="{page.address}?round=2"' in html
    assert "2 turns" in html


def test_a_long_conversation_is_paged(page: Page, turn: ATurn) -> None:
    for number in range(60):
        turn.begin(f"Question {number}")
    first = page.client.get(archive_address(turn)).content.decode()
    after = re.search(r"\?after=(\d+)", first)
    assert after
    second = page.client.get(archive_address(turn), {"after": after[1]}).content.decode()
    assert "Question 59" not in first
    assert "Question 59" in second


@pytest.mark.parametrize("after", ["x", "-1", "9" * 40, "\0"])
def test_a_strange_page_of_turns_is_not_an_error(page: Page, turn: ATurn, after: str) -> None:
    assert page.client.get(archive_address(turn), {"after": after}).status_code == 200


def test_only_the_owner_and_admins_see_a_conversations_turns(turn: ATurn, client: Client) -> None:
    assert client.get(archive_address(turn)).status_code == 302
    cast = {turn.archive.owner: 200, a_user(is_superuser=True): 200, a_user(): 404}
    for user, status in cast.items():
        client.force_login(user)
        assert client.get(archive_address(turn)).status_code == status


def test_a_call_tells_the_wait_for_a_person_from_that_for_a_worker(page: Page, turn: ATurn) -> None:
    call = call_of(turn)
    decided = {"decision": {"approve": True, "at": turn.at(560).isoformat()}}
    Span.objects.filter(pk=call.pk).update(started=turn.at(580), attributes=decided)
    card = page.get().split(f'id="span-{call.public_id}"')[1].split("</article>")[0]
    assert "waited for a person 50 ms" in card
    assert "queued 20 ms" in card
