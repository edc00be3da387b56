import base64
import http.client
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest
from anthropic import Anthropic

from benchmarks.stub import Stub
from benchmarks.stub.validity import signature

HELLO: dict[str, Any] = {"role": "user", "content": "hello"}
Blocks = list[dict[str, Any]]


@dataclass
class Reply:
    status: int
    body: bytes

    @property
    def events(self) -> list[dict[str, Any]]:
        lines = self.body.decode().splitlines()
        return [json.loads(line[6:]) for line in lines if line.startswith("data: ")]

    @property
    def kinds(self) -> list[str]:
        return [event["type"] for event in self.events]

    @property
    def deltas(self) -> list[dict[str, Any]]:
        return [event["delta"] for event in self.events if event["type"] == "content_block_delta"]

    @property
    def blocks(self) -> Blocks:
        """The content, merged."""
        blocks: Blocks = []
        for event in self.events:
            if event["type"] == "content_block_start":
                blocks.append({**event["content_block"], "partial": ""})
            elif event["type"] == "content_block_delta":
                _merge(blocks[event["index"]], event["delta"])
        return [_whole(block) for block in blocks]


def _merge(block: dict[str, Any], delta: dict[str, Any]) -> None:
    for key, value in delta.items():
        if key != "type":
            place = "partial" if key == "partial_json" else key
            block[place] = block.get(place, "") + value


def _whole(block: dict[str, Any]) -> dict[str, Any]:
    partial = block.pop("partial")
    return {**block, "input": json.loads(partial or "{}")} if block["type"] == "tool_use" else block


def ask(stub: Stub, model: str, *messages: dict[str, Any], **more: Any) -> Reply:
    body = {"model": model, "max_tokens": 99, "messages": messages or [HELLO], "stream": True}
    connection = http.client.HTTPConnection(urlsplit(stub.url).netloc, timeout=5)
    try:
        connection.request("POST", "/v1/messages", json.dumps({**body, **more}))
        response = connection.getresponse()
        return Reply(response.status, response.read())
    finally:
        connection.close()


def answered(blocks: Blocks) -> list[dict[str, Any]]:
    results = [
        {"type": "tool_result", "tool_use_id": block["id"], "content": "1"}
        for block in blocks
        if block["type"] == "tool_use"
    ]
    return [HELLO, {"role": "assistant", "content": blocks}, {"role": "user", "content": results}]


def refusal(reply: Reply) -> str:
    assert reply.status == 400
    error: dict[str, str] = json.loads(reply.body)["error"]
    assert error["type"] == "invalid_request_error"
    return error["message"]


def test_a_text_is_one_block_of_events(stub: Stub) -> None:
    reply = ask(stub, "stub-n2")
    assert reply.kinds == [
        *("message_start", "ping", "content_block_start"),
        *("content_block_delta", "content_block_delta"),
        *("content_block_stop", "message_delta", "message_stop"),
    ]
    assert reply.events[-2]["delta"]["stop_reason"] == "end_turn"


def test_thinking_comes_first_and_is_signed(stub: Stub) -> None:
    thinking, text = ask(stub, "stub-z3-n2").blocks
    assert thinking["signature"] == signature(thinking["thinking"])
    assert len(base64.b64decode(thinking["signature"])) == 32
    assert text["type"] == "text"


def test_calls_are_blocks_and_the_next_round_answers(stub: Stub) -> None:
    first = ask(stub, "stub-z2-t3-p2-n4")
    calls = [block["input"] for block in first.blocks if block["type"] == "tool_use"]
    assert calls == [{"expr": f"0 * 7 + {n}"} for n in range(3)]
    second = ask(stub, "stub-z2-t3-p2-n4", *answered(first.blocks))
    assert [block["type"] for block in second.blocks] == ["thinking", "text"]


def test_a_new_question_behind_results_begins_again(stub: Stub) -> None:
    history = answered(ask(stub, "stub-k1").blocks)
    history[-1]["content"].append({"type": "text", "text": "and now?"})
    assert [block["type"] for block in ask(stub, "stub-k1", *history).blocks] == ["tool_use"]


def test_an_answer_that_is_not_streamed_is_one_message(stub: Stub) -> None:
    reply = json.loads(ask(stub, "stub-z2-t1-n2-usage", stream=False).body)
    assert [block["type"] for block in reply["content"]] == ["thinking", "tool_use"]
    assert reply["stop_reason"] == "tool_use"
    assert reply["usage"]["output_tokens"] > 0


def test_the_cache_has_what_was_asked_before(stub: Stub) -> None:
    cached = {"cache_control": {"type": "ephemeral"}}
    first = ask(stub, "stub-k1", **cached)
    second = ask(stub, "stub-k1", *answered(first.blocks), **cached)
    usages = [reply.events[0]["message"]["usage"] for reply in (first, second)]
    assert [usage["cache_read_input_tokens"] > 0 for usage in usages] == [False, True]
    assert all(usage["cache_creation_input_tokens"] > 0 for usage in usages)


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([HELLO, HELLO], "alternate"),
        ([{"role": "assistant", "content": "a"}], "alternate"),
        ([{"role": "user", "content": [{"type": "text", "text": ""}]}], "non-empty"),
        (answered([{"type": "tool_use", "id": "a", "name": "b", "input": "c"}]), "object"),
        (answered([{"type": "tool_use", "id": "a b", "name": "b", "input": {}}]), "id"),
        (answered([{"type": "thinking", "thinking": "a", "signature": "b"}])[:2], "last"),
        (
            [
                *answered([{"type": "tool_use", "id": "a", "name": "b", "input": {}}])[:2],
                HELLO,
            ],
            "without tool_result",
        ),
    ],
)
def test_what_the_real_api_refuses_is_refused(stub: Stub, messages: Any, words: str) -> None:
    assert words in refusal(ask(stub, "stub", *messages))


def test_a_thought_that_was_changed_is_refused(stub: Stub) -> None:
    blocks = ask(stub, "stub-z2-t1").blocks
    blocks[0]["thinking"] += "."
    assert "signature" in refusal(ask(stub, "stub-z2-t1", *answered(blocks)))


@pytest.mark.parametrize("more", [{"max_tokens": None}, {"seed": 1}, {"tools": [{"name": "a b"}]}])
def test_parameters_that_the_real_api_refuses_are_refused(stub: Stub, more: Any) -> None:
    assert refusal(ask(stub, "stub", **more))


@pytest.mark.parametrize(("status", "kind"), [(429, "rate_limit_error"), (529, "overloaded_error")])
def test_a_failing_status_has_an_error_of_its_kind(stub: Stub, status: int, kind: str) -> None:
    reply = ask(stub, f"stub-f{status}")
    assert (reply.status, json.loads(reply.body)["error"]["type"]) == (status, kind)


def test_an_error_in_mid_stream_is_an_event(stub: Stub) -> None:
    reply = ask(stub, "stub-n4-ferror")
    assert reply.events[-1]["error"]["type"] == "overloaded_error"
    assert len(reply.deltas) == 2


@pytest.mark.parametrize(
    ("fault", "reason"), [("flimit", "max_tokens"), ("ffilter", "refusal"), ("usage", "end_turn")]
)
def test_reasons_to_stop_are_those_of_the_api(stub: Stub, fault: str, reason: str) -> None:
    assert ask(stub, f"stub-{fault}").events[-2]["delta"]["stop_reason"] == reason


def test_models_are_listed_in_the_form_of_who_asks(stub: Stub) -> None:
    connection = http.client.HTTPConnection(urlsplit(stub.url).netloc, timeout=5)
    connection.request("GET", "/v1/models?limit=9", headers={"anthropic-version": "2023-06-01"})
    page = json.loads(connection.getresponse().read())
    connection.close()
    assert page["has_more"] is False
    assert {entry["type"] for entry in page["data"]} == {"model"}


def test_the_anthropic_client_understands_the_stub(stub: Stub) -> None:
    client = Anthropic(base_url=stub.url, api_key="a key", max_retries=0)
    messages = [{"role": "user", "content": "hello"}]
    with client.messages.stream(model="stub-z3-t2", max_tokens=9, messages=messages) as stream:  # type: ignore[arg-type]
        message = stream.get_final_message()
    assert [block.type for block in message.content] == ["thinking", "tool_use", "tool_use"]
    assert message.usage.output_tokens > 0
