"""What differs between two requests, and between what was meant and what was sent."""

from typing import Any

import pytest
from django.test import Client

from tracing.tests.builders import ATurn, a_user, wire
from tracing.tests.page.pages import Page

pytestmark = [pytest.mark.django_db, pytest.mark.long]

SYSTEM = {"role": "system", "content": "You look after a database."}
QUESTION = {"role": "user", "content": "数据库有两张表"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "count", "arguments": "{}"}}
ASKED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
TOLD = {"role": "tool", "tool_call_id": "call_1", "content": "a long row\n" * 100}
ANSWER = {"role": "assistant", "content": "There are two tables."}
TOOL = {"type": "function", "function": {"name": "count", "description": "Counts the rows."}}


def a_page(client: Client, *requests: dict[str, Any], **more: Any) -> Page:
    """A turn with a round for each request."""
    turn = ATurn(a_user())
    for number, request in enumerate(requests, 1):
        turn.a_round(number, (number * 10, number * 10 + 9))
        turn.a_generation({"request": wire(request)}, (number * 10, number * 10 + 9), **more)
    return Page(turn, client, turn.archive.owner)


def with_messages(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": "a model with a name of some length", "messages": messages, **more}


def test_a_message_with_other_words_is_shown_as_one_with_its_changes(client: Client) -> None:
    other = {**QUESTION, "content": "数据库有三张表"}
    page = a_page(client, with_messages(SYSTEM, QUESTION), with_messages(SYSTEM, other))
    shown = page.stage("request", round=2)
    assert "数据库有<del>两</del><ins>三</ins>张表" in shown
    assert shown.count('data-change="mutated"') == 1


def test_a_result_that_was_put_away_is_told_from_one_that_changed(client: Client) -> None:
    put_away = {**TOLD, "content": "[put away]"}
    page = a_page(client, with_messages(ASKED, TOLD), with_messages(ASKED, put_away))
    shown = page.stage("request", round=2)
    assert 'data-change="compacted"' in shown
    assert "compacted · 1.3 KB →" in shown
    assert "The message that it replaces" in shown


def test_a_summary_in_place_of_messages_says_of_how_many(client: Client) -> None:
    summary = {"role": "user", "content": "Summary: tables were counted."}
    before = with_messages(SYSTEM, QUESTION, ANSWER, QUESTION, ANSWER, ASKED, TOLD)
    page = a_page(client, before, with_messages(SYSTEM, summary, ASKED, TOLD))
    shown = page.stage("request", round=2)
    assert "replaces 4 messages" in shown
    assert "The 4 messages that it replaces" in shown


def test_messages_with_nothing_in_common_are_removed_and_added(client: Client) -> None:
    other = {"role": "user", "content": "What is the weather?"}
    page = a_page(client, with_messages(QUESTION), with_messages(other))
    shown = page.stage("request", round=2)
    assert 'data-change="removed"' in shown
    assert 'data-change="added"' in shown


def test_tools_and_parameters_that_changed_are_marked(client: Client) -> None:
    changed = {"type": "function", "function": {"name": "count", "description": "Counts rows."}}
    added = {"type": "function", "function": {"name": "drop", "description": "Drops a table."}}
    page = a_page(
        client,
        with_messages(QUESTION, tools=[TOOL], temperature=0.2, seed=7),
        with_messages(QUESTION, tools=[changed, added], temperature=0.7),
    )
    shown = page.stage("request", round=2)
    assert '<li data-change="mutated">' in shown
    assert '<li data-change="added">' in shown
    assert "<del>0.2</del> <ins>0.7</ins>" in shown
    assert shown.count('<div data-change="removed">') == 1


def test_a_round_can_be_compared_with_any_other(client: Client) -> None:
    page = a_page(
        client,
        with_messages(QUESTION),
        with_messages(QUESTION, ANSWER),
        with_messages(QUESTION, ANSWER, SYSTEM),
    )
    assert "2 unchanged" in page.stage("request", round=3)
    shown = page.get(round=3, against=1)
    assert "Compared with <strong>round 1</strong>" in shown
    assert page.stage("request", round=3, against=1).count('data-change="added"') == 2


def test_an_attempt_can_be_compared_with_another_one(client: Client) -> None:
    page = a_page(client, with_messages(QUESTION))
    turn = ATurn(a_user())
    turn.a_round(1, (0, 9))
    for number, messages in enumerate(([QUESTION], [QUESTION, ANSWER]), 1):
        turn.a_generation({"request": wire(with_messages(*messages))}, (0, 9), number)
    page = Page(turn, client, turn.archive.owner)
    shown = page.stage("request", against="1.1")
    assert shown.count('data-change="added"') == 1


def test_a_round_can_be_compared_with_one_of_another_turn(client: Client) -> None:
    turn = ATurn(a_user())
    first = turn.trace
    for messages in ([QUESTION], [SYSTEM], [QUESTION, ANSWER]):
        turn.a_round(1, (0, 9))
        turn.a_generation({"request": wire(with_messages(*messages))}, (0, 9))
        turn.begin("another one")
    page = Page(turn, client, turn.archive.owner)
    page.address = f"/traces/{first.archive.traces.order_by('pk')[2].public_id}/"
    shown = page.stage("request", turn=str(first.public_id))
    assert "1 unchanged" in shown
    assert first.name in page.get(turn=str(first.public_id), against="1")


def test_a_turn_of_somebody_else_is_not_compared_with(client: Client) -> None:
    page = a_page(client, with_messages(QUESTION))
    other = ATurn(a_user(), name="a secret")
    shown = page.get(turn=str(other.trace.public_id))
    assert "There is no other model call" in shown
    assert "a secret" not in shown


@pytest.mark.parametrize("query", [{"against": "x"}, {"against": "9"}, {"turn": "x"}])
def test_a_strange_comparison_is_not_an_error(client: Client, query: dict[str, str]) -> None:
    page = a_page(client, with_messages(QUESTION))
    assert "There is no other model call" in page.get(**query)


def the_two_lists(client: Client) -> Page:
    results = [{**TOLD, "tool_call_id": f"call_{n}", "content": f"row {n}"} for n in (1, 2)]
    meant = {
        "messages": [SYSTEM, QUESTION, ASKED, *results],
        "tools": [TOOL],
        "parameters": {"temperature": 0.2, "top_k": 5},
    }
    wrapped = "<tool_response>\nrow 1\n</tool_response>\n<tool_response>\nrow 2\n</tool_response>"
    sent = [
        {**SYSTEM, "content": f"{SYSTEM['content']}\n\n# Tools"},
        QUESTION,
        {"role": "assistant", "content": '<tool_call>\n{"name": "count"}\n</tool_call>'},
        {"role": "user", "content": wrapped},
    ]
    turn = ATurn(a_user())
    turn.a_round(1, (0, 9))
    request = wire({"model": "m", "messages": sent, "stream": True, "temperature": 0.2})
    turn.a_generation({"input": wire(meant), "request": request}, (0, 9))
    return Page(turn, client, turn.archive.owner)


def test_what_was_meant_stands_beside_what_was_sent(client: Client) -> None:
    shown = the_two_lists(client).stage("request", request="beside")
    assert "merged · 2 into 1" in shown
    assert "1 sent unchanged" in shown
    assert 'Added by the dialect">\n\n# Tools</span>' in shown


def test_keys_and_tools_that_the_dialect_moved_are_told(client: Client) -> None:
    shown = the_two_lists(client).stage("request", request="beside")
    assert "<code>model</code>, <code>stream</code>" in shown
    assert "<code>top_k</code>" in shown
    assert "1 tool: written into the text by the dialect" in shown


def test_messages_of_the_two_columns_lead_to_each_other(client: Client) -> None:
    page = the_two_lists(client)
    assert page.stage("input").count('href="#request-4"') == 2
    assert 'id="request-4"' in page.stage("request")
    assert "merged from" in page.stage("request")
    assert 'href="#input-5"' in page.stage("request")


def test_a_thousand_messages_are_paged_and_each_can_be_read_on(client: Client) -> None:
    messages = [
        {"role": "user", "content": f"Message {n}: " + "数据" * 2_000} for n in range(1_000)
    ]
    page = a_page(client, with_messages(*messages))
    shown = page.stage("request")
    assert "page 1 of 10" in shown
    assert shown.count("<article") == 100
    assert "byte=" in shown
    assert "Message 999:" in page.stage("request", page=10)
    assert len(page.get()) < 900_000


def test_a_stage_opens_at_the_byte_where_a_message_was_cut_off(client: Client) -> None:
    messages = [{"role": "user", "content": f"Message {n}: " + "数据" * 8_000} for n in range(5)]
    body = wire(with_messages(*messages))
    at = body.index(b'{"role":"user","content":"Message 3')
    page = a_page(client, with_messages(*messages))
    assert "Message 3" in page.stage("request", request="raw", byte=at)


def test_markdown_is_rendered_only_when_wished_and_sanitised(client: Client) -> None:
    message = {"role": "user", "content": "**bold** <script>alert(1)</script>"}
    page = a_page(client, with_messages(message))
    assert "**bold**" in page.stage("request")
    shown = page.stage("request", text="markdown")
    assert "<strong>bold</strong>" in shown
    assert "<script>" not in shown


@pytest.mark.parametrize("stage", ["input", "request", "response", "output"])
def test_each_stage_has_each_view(client: Client, stage: str) -> None:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 9))
    turn.a_generation({stage: wire(with_messages(QUESTION, temperature=0.5))}, (0, 9))
    page = Page(turn, client, turn.archive.owner)
    assert "<json-tree" in page.stage(stage, **{stage: "json"})
    assert "<payload-reader" in page.stage(stage, **{stage: "raw"})
    assert "sha256" in page.stage(stage, **{stage: "raw"})


def test_the_events_of_a_response_are_a_list_in_json(client: Client) -> None:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 9))
    turn.a_generation({"response": b'data: {"a": 1.0}\n\ndata: [DONE]\n\n'}, (0, 9))
    shown = Page(turn, client, turn.archive.owner).stage("response", response="json")
    assert "The data of 2 events" in shown
    assert "1.0" in shown


def test_what_retention_removed_is_told(client: Client) -> None:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 9))
    turn.a_generation({}, (0, 9))
    turn.end(9)
    type(turn.trace).objects.filter(pk=turn.trace.pk).update(removed=turn.at(0))
    shown = Page(turn, client, turn.archive.owner).stage("request")
    assert "The content was removed on" in shown
