import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.stub import Stub
from benchmarks.stub.faults import Cutter
from benchmarks.stub.text import TIMED_TOKEN, now_us, seeded_tokens
from benchmarks.stub.wire import Signal
from benchmarks.tests.asking import HELLO, ask


def turn_after(reply_calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages of the next round, every call answered."""
    functions = [{"name": call["name"], "arguments": call["arguments"]} for call in reply_calls]
    calls = [
        {"id": call["id"], "type": "function", "function": function}
        for call, function in zip(reply_calls, functions, strict=True)
    ]
    results = [{"role": "tool", "tool_call_id": call["id"], "content": "1"} for call in calls]
    return [*HELLO, {"role": "assistant", "content": None, "tool_calls": calls}, *results]


def test_tokens_carry_their_index_and_send_time(stub: Stub) -> None:
    before = now_us()
    tokens = TIMED_TOKEN.findall(ask(stub, "stub-n100").text())
    assert [int(index) for index, _ in tokens] == list(range(100))
    times = [int(time) for _, time in tokens]
    assert before <= times[0] <= times[-1] <= now_us()
    assert times == sorted(times)


def test_a_rate_keeps_its_pace_without_drift(stub: Stub) -> None:
    times = [int(time) for _, time in TIMED_TOKEN.findall(ask(stub, "stub-r200-n100").text())]
    # 99 gaps of 5 ms; a busy machine may delay the last token, never hurry it.
    assert 494_000 <= times[-1] - times[0] < 1_500_000


def test_the_delay_comes_before_the_first_token(stub: Stub) -> None:
    reply = ask(stub, "stub-d100-n1")
    (_, sent), received = TIMED_TOKEN.findall(reply.text())[0], stub.completions[0].received_us
    assert int(sent) - received >= 100_000


def test_reasoning_comes_first_in_its_own_field(stub: Stub) -> None:
    fields = [list(delta) for delta in ask(stub, "stub-z3-n2").deltas[1:-1]]
    assert fields == [["reasoning_content"]] * 3 + [["content"]] * 2


@pytest.mark.parametrize(("option", "field"), [("reasoning", "reasoning"), ("think", "content")])
def test_reasoning_can_stand_elsewhere(stub: Stub, option: str, field: str) -> None:
    assert len(TIMED_TOKEN.findall(ask(stub, f"stub-z3-n0-{option}").text(field))) == 3


def test_thoughts_as_text_have_tags(stub: Stub) -> None:
    assert re.fullmatch(r"<think>[^<]+</think>[^<]+", ask(stub, "stub-z3-n2-think").text())


def test_the_first_round_calls_and_the_next_answers(stub: Stub) -> None:
    first = ask(stub, "stub-t3-n4")
    assert first.finish_reason == "tool_calls"
    assert [json.loads(call["arguments"]) for call in first.calls] == [
        {"expr": "0 * 7 + 0"},
        {"expr": "0 * 7 + 1"},
        {"expr": "0 * 7 + 2"},
    ]
    second = ask(stub, "stub-t3-n4", turn_after(first.calls))
    assert (second.calls, second.finish_reason) == ([], "stop")
    assert len(TIMED_TOKEN.findall(second.text())) == 4


def test_rounds_go_on_as_often_as_asked_and_begin_again_with_a_new_question(stub: Stub) -> None:
    history, rounds = list(HELLO), 0
    while calls := ask(stub, "stub-k3", history).calls:
        history, rounds = [*history, *turn_after(calls)[1:]], rounds + 1
    assert rounds == 3
    assert ask(stub, "stub-k3", [*history, *HELLO]).calls


def test_ids_of_calls_differ_between_rounds(stub: Stub) -> None:
    first = ask(stub, "stub-k2").calls
    assert ask(stub, "stub-k2", turn_after(first)).calls[0]["id"] != first[0]["id"]


def test_text_can_stand_before_the_calls(stub: Stub) -> None:
    reply = ask(stub, "stub-t1-p5-n9")
    assert len(TIMED_TOKEN.findall(reply.text())) == 5
    assert len(reply.calls) == 1


def test_nous_calls_are_text_and_their_results_too(stub: Stub) -> None:
    text = ask(stub, "stub-nous-t2").text()
    blocks = re.findall(r"<tool_call>\n(.*)\n</tool_call>", text)
    assert [json.loads(block)["name"] for block in blocks] == ["calculate"] * 2
    answered = [
        *HELLO,
        {"role": "assistant", "content": text},
        {"role": "user", "content": "<tool_response>\n1\n</tool_response>"},
    ]
    assert "<tool_call>" not in ask(stub, "stub-nous-t2", answered).text()


def test_the_user_can_write_the_calls(stub: Stub) -> None:
    text = 'please\ncall add {"a": 1}\ncall sub {"b": 2}\nthen\ncall mul {}'
    messages = [{"role": "user", "content": text}]
    assert ask(stub, "stub-ask", messages).calls == []  # the request offers no tools
    offered = {"tools": [{"type": "function", "function": {"name": "add"}}]}
    first = ask(stub, "stub-ask", messages, **offered).calls
    assert [(call["name"], call["arguments"]) for call in first] == [
        ("add", '{"a": 1}'),
        ("sub", '{"b": 2}'),
    ]
    second = ask(stub, "stub-ask", [*messages, *turn_after(first)[1:]], **offered).calls
    assert [call["name"] for call in second] == ["mul"]


@pytest.mark.parametrize("seed", range(4))
def test_seeded_text_is_the_same_every_time_and_however_cut(stub: Stub, seed: int) -> None:
    expected = "".join(seeded_tokens(seed, 200))
    assert ask(stub, f"stub-s{seed}-n200").text() == expected
    assert ask(stub, f"stub-s{seed}-n200-c{seed}").text() == expected


@given(st.binary(max_size=2_000), st.integers(0, 9))
def test_cutting_loses_nothing_and_holds_nothing_back(stream: bytes, seed: int) -> None:
    pieces = list(Cutter(seed).cut(iter([stream[:500], Signal.SLOT, stream[500:]])))
    assert b"".join(piece for piece in pieces if isinstance(piece, bytes)) == stream
    assert b"" not in pieces


def test_usage_follows_the_request_unless_the_name_says_otherwise(stub: Stub) -> None:
    def reported(model: str, **extra: Any) -> bool:
        return any("usage" in chunk for chunk in ask(stub, model, **extra).chunks)

    options: dict[str, Any] = {"stream_options": {"include_usage": True}}
    assert [reported("stub"), reported("stub", **options)] == [False, True]
    assert [reported("stub-usage"), reported("stub-nousage", **options)] == [True, False]


def test_without_stream_the_answer_is_one_document(stub: Stub) -> None:
    completion = json.loads(ask(stub, "stub-n3-z2", stream=False).body)
    message = completion["choices"][0]["message"]
    assert len(TIMED_TOKEN.findall(message["content"])) == 3
    assert len(TIMED_TOKEN.findall(message["reasoning_content"])) == 2
    assert completion["usage"]["completion_tokens"] == 5


def test_every_event_is_one_http_chunk(stub: Stub) -> None:
    ask(stub, "stub-n5")
    chunks = stub.server.journal.entries[0].chunks
    assert len(chunks) == len(["role", *["token"] * 5, "finish", "[DONE]"])
    assert all(chunk.startswith(b"data: ") and chunk.count(b"\n\n") == 1 for chunk in chunks)


def test_functions_are_called_one_a_message(stub: Stub) -> None:
    first = ask(stub, "stub-t3-k2", functions=[{"name": "calculate"}])
    assert (first.finish_reason, len(first.calls)) == ("function_call", 0)
    assert "".join(d["function_call"]["arguments"] for d in first.deltas if "function_call" in d)
    function = {"name": "a", "arguments": ""}
    round_: list[dict[str, Any]] = [
        {"role": "assistant", "content": None, "function_call": function},
        {"role": "function", "name": "a", "content": "1"},
    ]
    history = [*HELLO, *round_, *round_]
    assert ask(stub, "stub-t3-k2", history, functions=[]).finish_reason == "stop"


def test_a_stream_can_be_denied(stub: Stub) -> None:
    reply = json.loads(ask(stub, "stub-n3-nostream").body)
    assert reply["object"] == "chat.completion"


def test_the_content_can_be_the_user_s_message(stub: Stub) -> None:
    text = "数 words\n" * 20
    reply = ask(stub, "stub-echo", messages=[{"role": "user", "content": text}])
    assert reply.text() == text
    assert len(reply.deltas[1:-1]) == 5
