"""How the response and the output are shown: side by side, by arrival, as bytes."""

import json
from typing import Any

import pytest
from django.test import Client

from tracing.tests.builders import ATurn, a_user, wire
from tracing.tests.page.pages import Page

pytestmark = pytest.mark.django_db

BLOCK = '<tool_call>{"name": "count"}</tool_call>'
CALL = {"id": "call_1", "type": "function", "function": {"name": "count", "arguments": "{}"}}


def stream(*deltas: dict[str, Any]) -> bytes:
    return b"".join(b"data: " + wire({"choices": [{"delta": delta}]}) + b"\n\n" for delta in deltas)


def a_page(
    client: Client, response: bytes, output: dict[str, Any] | None = None, **more: Any
) -> Page:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 900))
    stages = {"response": response} | ({"output": wire(output)} if output else {})
    turn.a_generation(stages, (0, 900), **more)
    turn.end(900)
    return Page(turn, client, turn.archive.owner)


def output(**more: Any) -> dict[str, Any]:
    return {"message": {"role": "assistant", "content": "", "tool_calls": [CALL]}, **more}


def test_a_text_that_became_a_call_is_numbered_like_the_call(client: Client) -> None:
    origin = {"path": "content", "became": "tool_call", "start": 2, "end": 42, "call_id": "call_1"}
    body = stream({"content": "I " + BLOCK[:9]}, {"content": BLOCK[9:]})
    page = a_page(client, body, output(origins=[origin]))
    assert 'id="from-1"' in page.stage("response")
    assert 'href="#became-1"' in page.stage("response")
    assert 'id="became-1"' in page.stage("output")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("tool_calls[0]", stream({"tool_calls": [{"index": 0, **CALL}]})),
        ("function_call", stream({"function_call": CALL["function"]})),
        (
            "content[0]",
            wire(
                {
                    "type": "message",
                    "content": [{"type": "tool_use", "id": "t", "name": "count", "input": {}}],
                }
            ),
        ),
    ],
)
def test_a_call_of_any_dialect_is_linked_as_a_whole(client: Client, path: str, body: bytes) -> None:
    origin = {"path": path, "became": "tool_call", "call_id": "call_1"}
    page = a_page(client, body, output(origins=[origin]))
    assert 'id="from-1"' in page.stage("response")
    assert 'id="became-1"' in page.stage("output")


def test_a_malformed_block_leads_to_its_error(client: Client) -> None:
    error = "The tool call at character 2 is malformed: it is not a JSON object."
    message = {"role": "assistant", "content": "I {no"}
    noted = {"path": "content", "became": "content", "start": 0, "end": 2}
    page = a_page(
        client,
        stream({"content": "I <tool_call>{no</tool_call>"}),
        {"message": message, "errors": [error], "origins": [noted]},
    )
    assert 'href="#error-1"' in page.stage("response")
    assert 'id="error-1"' in page.stage("output")
    assert error in page.stage("output")


def test_an_id_that_was_given_anew_is_told(client: Client) -> None:
    page = a_page(client, stream(), output(reissued={"call_1": "call_0"}))
    assert "call_0" in page.stage("output")


def test_reasoning_is_shown_in_both_columns(client: Client) -> None:
    message = {"role": "assistant", "content": "Three.", "reasoning_content": "I count."}
    body = stream({"reasoning": "I count."}, {"content": "Three."})
    page = a_page(client, body, {"message": message, "origins": []})
    assert "I count." in page.stage("response")
    assert "I count." in page.stage("output")


def test_chunks_are_shown_with_the_time_of_their_arrival(client: Client) -> None:
    first, second = stream({"content": "a"}), stream({"content": "b"})
    chunks = [(12.3, len(first)), (1234.5, len(second))]
    page = a_page(client, first + second, details={"response": {"chunks": chunks}})
    shown = page.stage("response", response="chunks")
    assert "2 events in 2 pieces" in shown
    assert "12.3 ms" in shown
    assert "1,234.5 ms" in shown


def test_what_an_event_repeats_of_the_one_before_is_left_out(client: Client) -> None:
    lines = [wire({"id": "chatcmpl-1", "model": "qwen", "choices": [text]}) for text in ("a", "b")]
    page = a_page(client, b"".join(b"data: " + line + b"\n\n" for line in lines))
    shown = page.stage("response", response="chunks")
    assert shown.count("chatcmpl-1") == 1
    assert "{&quot;choices&quot;:[&quot;b&quot;]}" in shown


def test_ten_thousand_chunks_are_paged(client: Client) -> None:
    body = stream({"content": "a"}) * 10_000
    page = a_page(client, body, details={"response": {"chunks": [(1.0, len(body))]}})
    last = page.stage("response", response="chunks", part=50)
    assert "50 of 50" in last
    assert last.count("<li") == 200
    assert "50 of 50" in page.stage("response", response="chunks", part=51)


def test_no_time_is_told_where_the_bytes_are_not_those_that_arrived(client: Client) -> None:
    details = {"response": {"chunks": [(5.0, 3)], "redacted": True}}
    page = a_page(client, stream({"content": "a"}), details=details)
    assert " ms" not in page.stage("response", response="chunks")


def test_one_stage_can_be_seen_as_json_and_the_others_not(client: Client) -> None:
    page = a_page(client, stream({"content": "a"}), output())
    assert "choices" in page.stage("response", response="json")
    assert "json-key" not in page.stage("output", response="json")


def test_the_way_of_showing_goes_along_to_another_round(client: Client) -> None:
    page = a_page(client, stream({"content": "a"}), output())
    assert "?round=1&amp;response=chunks" in page.get(round=1, response="chunks")


@pytest.mark.parametrize("part", ["0", "-1", "x", "9" * 30, "²"])
def test_a_strange_page_of_chunks_is_not_an_error(client: Client, part: str) -> None:
    page = a_page(client, stream({"content": "a"}))
    assert "1 event" in page.stage("response", response="chunks", part=part)


def test_a_large_response_is_not_put_into_the_page(client: Client) -> None:
    body = json.dumps({"choices": [{"message": {"content": "x" * 5_000_000}}]}).encode()
    page = a_page(client, body)
    assert "4,800,000 more characters: see the bytes" in page.stage("response")
    assert len(page.get(response="chunks")) < 100_000
