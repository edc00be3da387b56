import json
import re
import uuid
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tracing.models import Blob, Span
from tracing.tests.builders import ATurn, a_user, wire

pytestmark = pytest.mark.django_db

SYSTEM = {"role": "system", "content": "You look after a database."}
QUESTION = {"role": "user", "content": "数据库有几张表"}
CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "sqlite-list_tables", "arguments": '{"schema": "main"}'},
}
ASKED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
TOLD = {"role": "tool", "tool_call_id": "call_1", "content": "students, log"}
ANSWER = {"role": "assistant", "content": "There are two tables."}
TOOL = {"type": "function", "function": {"name": "sqlite-list_tables"}}


def stages(messages: list[dict[str, Any]], answer: dict[str, Any]) -> dict[str, bytes]:
    events = [wire({"choices": [{"delta": {"content": text}}]}) for text in ("<tool", "_call>")]
    return {
        "input": wire({"messages": messages, "tools": [TOOL], "parameters": {"temperature": 0.5}}),
        "request": wire({"model": "qwen", "messages": messages, "stream": True}),
        "response": b"".join(b"data: " + event + b"\n\n" for event in events),
        "output": wire({"message": answer, "errors": ["A call was cut off."], "origins": []}),
    }


@pytest.fixture
def turn() -> ATurn:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 700))
    turn.a_generation(
        stages([SYSTEM, QUESTION], ASKED),
        at=(0, 620),
        details={"response": {"attributes": {"status": 200, "headers": [["server", "vLLM"]]}}},
        attributes={
            "model": "qwen",
            "dialect": "nous",
            "usage": {"prompt_tokens": 1000, "completion_tokens": 64},
        },
    )
    turn.a_call(
        {"arguments": b'{"schema": "main"}', "shown": b"students, log", "stderr": b"slow"},
        at=(630, 651),
        number=1,
        name="sqlite-list_tables",
        attributes={"call_id": "call_1", "server": "sqlite", "tool": "list_tables"},
    )
    turn.a_round(2, (700, 1900))
    turn.a_generation(stages([SYSTEM, QUESTION, ASKED, TOLD], ANSWER), at=(700, 1900))
    turn.end(1900)
    return turn


@pytest.fixture
def page(turn: ATurn, client: Client) -> "Page":
    return Page(turn, client, turn.archive.owner)


class Page:
    def __init__(self, turn: ATurn, client: Client, user: User) -> None:
        self.address = turn.trace.get_absolute_url()
        self.client = client
        client.force_login(user)

    def get(self, **query: str | int) -> str:
        response = self.client.get(self.address, query)
        assert response.status_code == 200
        return response.content.decode()

    def stage(self, name: str, **query: str | int) -> str:
        """The HTML of one stage."""
        return self.get(**query).split(f'id="stage-{name}"')[1].split("</section>")[0]


def test_the_head_says_what_it_was_and_what_it_took(page: Page) -> None:
    head = page.get().split("</header>")[1]
    for part in ("数据库有几张表", "done", "2 rounds", "1 call", "1.9 s", "1,000 → 64 tokens"):
        assert part in head


def test_a_page_that_names_no_round_begins_at_the_first(page: Page) -> None:
    assert "Round 1 of 2" in page.get()


def test_each_round_has_a_page(page: Page) -> None:
    assert "Round 2 of 2" in page.get(round=2)


@pytest.mark.parametrize("stage", ["input", "request"])
def test_the_first_round_shows_all_its_messages(page: Page, stage: str) -> None:
    shown = page.stage(stage)
    assert "2 messages" in shown
    assert "You look after a database." in shown
    assert "数据库有几张表" in shown


@pytest.mark.parametrize("stage", ["input", "request"])
def test_a_later_round_folds_what_is_unchanged_and_marks_what_is_new(
    page: Page, stage: str
) -> None:
    shown = page.stage(stage, round=2)
    assert "2 unchanged" in shown
    assert "You look after a database." not in shown
    assert shown.count('data-change="added"') == 2
    assert "students, log" in shown


def test_the_system_blocks_and_tools_of_other_dialects_are_shown(client: Client) -> None:
    turn = ATurn(a_user())
    for number, system in enumerate((["Be brief."], ["Be brief.", "Be kind."]), 1):
        blocks = [{"type": "text", "text": text} for text in system]
        body = {"system": blocks, "messages": [QUESTION], "functions": [TOOL["function"]]}
        turn.a_round(number, (0, 10))
        turn.a_generation({"request": wire(body)}, at=(0, 5))
    page = Page(turn, client, turn.archive.owner)
    assert "Be brief." in page.stage("request", round=1)
    assert "1 tool" in page.stage("request", round=1)
    shown = page.stage("request", round=2)
    assert "Be brief." not in shown
    assert shown.count('data-change="added"') == 1


def test_a_system_text_that_is_no_list_is_shown(client: Client) -> None:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 10))
    turn.a_generation(
        {"request": wire({"system": "Be brief. " * 20, "messages": [QUESTION], "max_tokens": 9})},
        at=(0, 5),
    )
    shown = Page(turn, client, turn.archive.owner).stage("request")
    assert '<span class="role">system</span>' in shown
    assert "max_tokens" in shown


def test_no_image_is_carried_into_the_page(client: Client) -> None:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 10))
    url = f"data:image/png;base64,{'iVBORw0K' * 5_000}"
    parts = [{"type": "image_url", "image_url": {"url": url}}]
    turn.a_generation({"request": wire({"messages": [{"role": "user", "content": parts}]})}, (0, 5))
    turn.a_call({"result": wire({"data": "iVBORw0K" * 5_000})}, (5, 9), 1)
    page = Page(turn, client, turn.archive.owner)
    for shown in (page.get(), page.get(view="json")):
        assert "image/png · 30.0 KB" in shown
        assert "iVBORw0K" not in shown


def test_what_is_unchanged_can_be_unfolded(page: Page) -> None:
    shown = page.stage("input", round=2, unfold="input")
    assert "You look after a database." in shown


def test_what_the_dialect_wrote_is_told_from_what_was_meant(client: Client) -> None:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 10))
    sent = {"role": "system", "content": "You look after a database.\n\n# Tools"}
    turn.a_generation(
        {"input": wire({"messages": [SYSTEM]}), "request": wire({"messages": [sent]})}, (0, 5)
    )
    page = Page(turn, client, turn.archive.owner)
    assert 'Added by the dialect">\n\n# Tools</span>' in page.stage("request")
    assert "Added by the dialect" not in page.stage("input")


def test_a_message_that_is_gone_is_marked_as_removed(page: Page, turn: ATurn) -> None:
    turn.a_round(3, (1900, 2000))
    turn.a_generation(stages([SYSTEM, ANSWER], ANSWER), at=(1900, 2000))
    shown = page.stage("request", round=3)
    assert shown.count('data-change="removed"') == 3
    assert shown.count('data-change="added"') == 1


def test_the_first_round_of_a_turn_is_compared_with_the_turn_before(
    page: Page, turn: ATurn
) -> None:
    turn.begin("And how many rows?")
    turn.a_round(1, (0, 100))
    more = {"role": "user", "content": "And how many rows?"}
    turn.a_generation(stages([SYSTEM, QUESTION, ASKED, TOLD, ANSWER, more], ANSWER), at=(0, 100))
    page.address = turn.trace.get_absolute_url()
    assert "4 unchanged" in page.stage("request")


def test_the_response_shows_what_the_model_really_wrote(page: Page) -> None:
    shown = page.stage("response")
    assert "&lt;tool_call&gt;" in shown
    assert "2 events" in shown


def test_the_output_shows_calls_and_parse_errors(page: Page) -> None:
    shown = page.stage("output")
    assert "sqlite-list_tables" in shown
    assert "A call was cut off." in shown


def test_stages_can_be_seen_as_json(page: Page) -> None:
    shown = page.stage("request", view="json")
    assert '<span class="json-key">&quot;messages&quot;</span>' in shown


def test_json_folds_what_is_unchanged(page: Page) -> None:
    shown = page.stage("request", round=2, view="json")
    assert "⋯ 2 unchanged" in shown
    assert "You look after a database." not in shown
    unfolded = page.stage("request", round=2, view="json", unfold="request")
    assert "You look after a database." in unfolded


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


def test_what_could_not_be_expressed_is_told_with_the_request(client: Client) -> None:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 10))
    note = "The model cannot be made to call a tool: it decides by itself."
    turn.a_generation(
        {"request": wire({"messages": [QUESTION]})}, (0, 5), attributes={"notes": [note]}
    )
    assert note in Page(turn, client, turn.archive.owner).stage("request")


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


def test_a_damaged_stage_says_so_and_the_others_are_shown(page: Page, turn: ATurn) -> None:
    response = turn.archive.blob_set.get(size=len(stages([], {})["response"]))
    Blob.objects.filter(pk=response.pk).update(compressed=b"\0changed")
    assert "The stored data is damaged" in page.stage("response")
    assert "You look after a database." in page.stage("request")


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


def address_of(turn: ATurn, part: str) -> str:
    address = turn.trace.get_absolute_url()
    if part != "payload":
        return address + part
    span = Span.objects.filter(trace=turn.trace, kind="generation").earliest("id")
    return f"{address}payloads/{span.public_id}/request"


def test_a_round_can_be_had_alone(turn: ATurn, page: Page) -> None:
    html = page.client.get(f"{page.address}rounds/2").content.decode()
    assert "There are two tables." in html
    assert "<html" not in html


@pytest.mark.parametrize("number", ["3", "0", "9" * 30, "9" * 5000])
def test_a_round_that_is_not_there_is_not_found(page: Page, number: str) -> None:
    assert page.client.get(f"{page.address}rounds/{number}").status_code == 404


def test_the_bytes_of_a_stage_are_exact_and_can_do_nothing(turn: ATurn, page: Page) -> None:
    response = page.client.get(address_of(turn, "payload"))
    assert response.content == stages([SYSTEM, QUESTION], ASKED)["request"]
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in response["Content-Security-Policy"]


def test_bytes_that_are_no_text_are_a_download(client: Client) -> None:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 10))
    turn.a_generation({"request": b"\xff\xd8\xff"}, at=(0, 5))
    client.force_login(turn.archive.owner)
    response = client.get(address_of(turn, "payload"))
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"].startswith("attachment")


def test_a_stage_of_another_trace_is_not_found(turn: ATurn, page: Page) -> None:
    other = ATurn(turn.archive.owner)
    wrong = address_of(turn, "payload").replace(
        str(turn.trace.public_id), str(other.trace.public_id)
    )
    assert page.client.get(wrong).status_code == 404


def test_a_large_payload_is_not_put_into_the_page(client: Client) -> None:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 10))
    large = {"role": "user", "content": "x" * 5_000_000}
    turn.a_generation(stages([large, large | {"role": "tool"}], ANSWER), at=(0, 5))
    turn.a_call({"result": wire({"text": "y" * 5_000_000})}, at=(5, 9), number=1)
    page = Page(turn, client, turn.archive.owner)
    assert len(page.get()) < 300_000
    assert len(page.get(view="json")) < 800_000
    assert "more characters: <a" in page.get()
