"""The page of a trace: its head, rounds, calls and failures, and who sees it."""

import json
import re
import uuid
from html import unescape
from typing import Any

import pytest
from django.test import Client

from tracing.models import Span
from tracing.tests.builders import ATurn, a_user
from tracing.tests.page.pages import ANSWER, QUESTION, Page, address_of, stages

pytestmark = [pytest.mark.django_db, pytest.mark.long]


def test_the_head_says_what_it_was_and_what_it_took(page: Page) -> None:
    head = page.get().split("</header>")[1]
    for part in ("数据库有几张表", "done", "2 rounds", "1 call", "1.9 s", "1,000 → 64 tokens"):
        assert part in head


def test_a_page_that_names_no_round_begins_at_the_first(page: Page) -> None:
    assert "Round 1 of 2" in page.get()


def test_each_round_has_a_page(page: Page) -> None:
    assert "Round 2 of 2" in page.get(round=2)


def test_a_tool_call_shows_arguments_result_and_timing(page: Page, turn: ATurn) -> None:
    call = Span.objects.get(trace=turn.trace, kind="tool")
    shown = page.get().split(f'id="span-{call.public_id}"')[1].split("</article>")[0]
    for part in ("sqlite", "list_tables", "&quot;main&quot;", "students, log", "21 ms", "call_1"):
        assert part in shown


def test_calls_that_overlap_are_called_parallel(page: Page, turn: ATurn) -> None:
    turn.a_round(3, (1900, 2000))
    for number in (1, 2):
        turn.a_call({"shown": b"1"}, at=(1900 + number, 1950), number=number)
    assert "2 tool calls in parallel" in page.get(round=3)


def test_calls_one_after_the_other_are_not_called_parallel(page: Page, turn: ATurn) -> None:
    turn.a_round(3, (1900, 2000))
    for number in (1, 2):
        turn.a_call({"shown": b"1"}, at=(1900 + 10 * number, 1905 + 10 * number), number=number)
    assert "parallel" not in page.get(round=3)


def test_a_failed_attempt_is_seen_with_its_error_and_can_be_opened(page: Page, turn: ATurn) -> None:
    turn.a_round(3, (1900, 2900))
    failed = {"response": b'{"error":{"message":"Too many requests"}}'}
    turn.a_generation(
        failed, at=(1900, 2000), number=1, status="failed", error="The provider answered 429."
    )
    turn.a_generation(stages([QUESTION], ANSWER), at=(2500, 2900), number=2)
    assert "The provider answered 429." in page.get(round=3)
    assert "Too many requests" not in page.stage("response", round=3)
    assert "Too many requests" in page.stage("response", round=3, attempt=1)


def test_a_failed_attempt_says_its_status_and_how_long_the_next_one_waited(
    page: Page, turn: ATurn
) -> None:
    turn.a_round(3, (1900, 2900))
    noted = {"status_code": 429, "retry_in_ms": 1500}
    turn.a_generation(
        {}, (1900, 2000), number=1, status="failed", error="Too many.", attributes=noted
    )
    turn.a_generation(stages([QUESTION], ANSWER), at=(3500, 3900), number=2)
    html = page.get(round=3)
    for part in ("HTTP 429", "tried again after 1.5 s", "bar-pause", "waiting to try again"):
        assert part in html
    assert page.stage("response", round=3, attempt=1).count("Nothing came back") == 1


def test_a_failed_turn_begins_with_its_error(page: Page, turn: ATurn) -> None:
    Span.objects.filter(pk=turn.root.pk).update(error="The provider refused the key.")
    turn.end(1900, status="failed")
    html = page.get()
    assert html.index("The provider refused the key.") < html.index('aria-label="Rounds"')
    assert "Round 2 of 2" in html


def test_its_error_leads_to_the_bytes(page: Page, turn: ATurn) -> None:
    turn.a_round(3, (1900, 2900))
    body = b'data: {"choices":[]}\n\ndata: {broken\n\n'
    noted = {"status_code": 200, "error_bytes": [body.index(b"{broken"), len(body) - 2]}
    failed: dict[str, Any] = {"status": "failed", "error": "Not to be read.", "attributes": noted}
    turn.a_generation({"response": body}, (1900, 2000), **failed)
    turn.end(2900, status="failed")
    for part in ('data-part="banners"', 'aria-label="Attempts that failed"'):
        hrefs = re.findall('href="([^"]+)"', page.get().split(part)[1])
        address = unescape(next(href for href in hrefs if "bytes=" in href))
        shown = page.client.get(address, follow=True).content.decode()
        assert re.search("<mark[^>]*>{broken</mark>", shown.split('id="stage-response"')[1])


@pytest.mark.parametrize("noted", [None, "0-5", [5], [7, 7], [3, -1], [True, 9]])
def test_an_error_without_a_known_place_leads_to_its_response(
    page: Page, turn: ATurn, noted: Any
) -> None:
    turn.a_round(3, (1900, 2900))
    attributes = {"status_code": 503, "error_bytes": noted}
    turn.a_generation(
        {"response": b"no"}, (1900, 2000), status="failed", error="No.", attributes=attributes
    )
    assert "stage=response#stage-response" in page.get(round=3).split("Attempts that failed")[1]


def test_a_running_turn_shows_its_last_round_and_fills_in(page: Page, turn: ATurn) -> None:
    turn.end(1900, status="running")
    html = page.get()
    assert "data-running" in html
    assert "Round 2 of 2" in html


def test_a_turn_without_a_round_says_what_it_waits_for(client: Client) -> None:
    turn = ATurn(a_user())
    assert "Waiting for a worker" in Page(turn, client, turn.archive.owner).get()


def test_the_page_leads_back_to_the_message(page: Page, turn: ATurn) -> None:
    conversation, asked = uuid.uuid4(), uuid.uuid4()
    turn.trace.attributes = {"conversation": str(conversation), "turn": str(asked)}
    turn.trace.save()
    assert f'href="/c/{conversation}/#turn-{asked}"' in page.get()


HOSTILE = "<script>alert(1)</script>\u202e\x1b[31m\ud800"


def test_hostile_text_is_shown_and_does_nothing(client: Client) -> None:
    turn = ATurn(a_user(), name="<b>\u202e")
    turn.a_round(1, (0, 10))
    hostile = json.dumps({"role": HOSTILE, "content": HOSTILE, HOSTILE: HOSTILE}).encode()
    bodies = {"input": b'{"messages":[%b],"%b":1}' % (hostile, b"<i>" * 40)}
    bodies["response"] = b"<html><script>alert(1)</script>\x00\xff"
    bodies["output"] = b'{"message":%b,"errors":["<b>"]}' % hostile
    noted = dict.fromkeys(("model", "dialect", "provider", "finish_reason"), HOSTILE)
    details: Any = {"response": {"attributes": {"headers": [[HOSTILE, HOSTILE]]}}}
    turn.a_generation(bodies, at=(0, 5), attributes=noted, error=HOSTILE, details=details)
    turn.a_call(
        {"arguments": HOSTILE.encode(errors="replace"), "shown": b"\xff<script>"},
        at=(5, 9),
        number=1,
        name=HOSTILE,
        error=HOSTILE,
        attributes={"server": HOSTILE, "tool": HOSTILE, "call_id": HOSTILE, "task_id": HOSTILE},
    )
    page = Page(turn, client, turn.archive.owner)
    for html in (page.get(), page.get(view="json")):
        assert "<script>alert" not in html
        assert "\u202e" not in html
        assert "\x1b" not in html


@pytest.mark.parametrize("name", ["round", "attempt", "view", "unfold"])
def test_a_strange_query_is_not_an_error(page: Page, name: str) -> None:
    for value in ("0", "x", "-1", "9" * 5000, "\0"):
        status = page.client.get(page.address, {name: value}).status_code
        assert status == (404 if name == "round" else 200)


@pytest.mark.parametrize(("who", "status"), [("owner", 200), ("admin", 200), ("outsider", 404)])
@pytest.mark.parametrize("part", ["", "rounds/1", "payload"])
def test_only_the_owner_and_admins_see_a_trace(
    turn: ATurn, client: Client, part: str, who: str, status: int
) -> None:
    cast = {
        "owner": turn.archive.owner,
        "admin": a_user(is_superuser=True),
        "outsider": a_user(),
    }
    client.force_login(cast[who])
    assert client.get(address_of(turn, part)).status_code == status


def test_nobody_sees_a_trace_without_signing_in(turn: ATurn, client: Client) -> None:
    assert client.get(address_of(turn, "rounds/1")).status_code == 404
    assert client.get(address_of(turn, "payload")).status_code == 404
    response = client.get(address_of(turn, ""))
    assert response.status_code == 302
    assert "next=" in response["Location"]


def test_a_round_can_be_had_alone(turn: ATurn, page: Page) -> None:
    html = page.client.get(f"{page.address}rounds/2").content.decode()
    assert "There are two tables." in html
    assert "<html" not in html


@pytest.mark.parametrize("number", ["3", "0", "9" * 30, "9" * 5000])
def test_a_round_that_is_not_there_is_not_found(page: Page, number: str) -> None:
    assert page.client.get(f"{page.address}rounds/{number}").status_code == 404
