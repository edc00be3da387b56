"""Tool calls that are cut, odd or too many: what becomes of them, what the model is told, and that
the turn goes on."""

import pytest
from pytest_django.fixtures import Settings

from chat.engine.generation.outcome import Generated
from chat.llm.dialects.nous import Nous
from chat.models import Message, Turn
from chat.tests.engine.conftest import answer_rings
from chat.tests.engine.faulty import (
    Model,
    Send,
    any_protocol,
    calls,
    cells,
    every_protocol,
    goes_on,
)
from tracing.models import Span

pytestmark = pytest.mark.long

# What is odd about the calls, what they come to, and a word of what the model is told of each.
ODD = {
    "arguments that are cut off": ("qcut", "failed", "not valid JSON"),
    "arguments that are not JSON": ("qtext", "failed", "not valid JSON"),
    "arguments that are not an object": ("qlist", "failed", "must be a JSON object, not an array"),
    "no arguments where some are needed": ("qempty", "failed", "'expr' is a required property"),
    "a tool that does not exist": ("qunknown", "failed", "There is no tool named 'no_such_tool'."),
    "a name that is empty": ("qnoname", "failed", "The call names no tool. Available tools: "),
    "ids that are repeated": ("qsameid", "succeeded", ""),
    "no ids": ("qnoid", "succeeded", ""),
    "no index": ("qnoindex", "succeeded", ""),
    "all calls in one chunk": ("qwhole", "succeeded", ""),
}
READ_BY_THE_PROTOCOL = {
    "arguments that are cut off",
    "arguments that are not an object",
    "a name that is empty",
    "ids that are repeated",
}
# Why an answer can end within its last call, and what the model is told of that call.
CUT = "This call is not whole: the answer had reached the limit of its length in the middle of it."


def told(turn: Turn) -> list[Message]:
    """The results that the model reads, in their order."""
    return list(Message.objects.filter(turn=turn, role=Message.Role.TOOL).order_by("id"))


def texts(turn: Turn) -> list[str]:
    return [message.body["content"] for message in told(turn)]


@cells("quirk, result, words", ODD, completions=ODD, messages=READ_BY_THE_PROTOCOL)
def test_odd_calls_are_answered_and_the_turn_goes_on(
    model: Model, send: Send, quirk: str, result: str, words: str
) -> None:
    turn = answer_rings(send(model(f"stub-t3-{quirk}-n5")))
    assert turn.status == Turn.Status.DONE, turn.error
    ids = [call.attributes["call_id"] for call in calls(turn)]
    assert len(set(ids)) == len(ids) == 3
    assert {call.status for call in calls(turn)} == {result}
    assert [message.body["tool_call_id"] for message in told(turn)] == ids
    assert all(words in text for text in texts(turn))
    assert goes_on(turn, model, send)


@every_protocol
def test_a_call_that_the_length_limit_cuts_is_not_run_and_the_model_is_told_why(
    model: Model, send: Send
) -> None:
    turn = answer_rings(send(model("stub-t3-qlength-n5")))
    assert turn.status == Turn.Status.DONE, turn.error
    assert [call.status for call in calls(turn)] == ["succeeded", "succeeded", "failed"]
    assert [call.started is None for call in calls(turn)] == [False, False, True]
    assert texts(turn)[:2] == ["0", "1"]
    assert texts(turn)[2].startswith(CUT)
    assert [message.body.get("is_error", False) for message in told(turn)] == [False, False, True]
    assert goes_on(turn, model, send)


@any_protocol
def test_a_turn_whose_only_call_is_cut_goes_on(model: Model, send: Send) -> None:
    turn = answer_rings(send(model("stub-t1-qlength-n5")))
    assert (turn.status, turn.rounds) == (Turn.Status.DONE, 2)
    assert texts(turn)[0].startswith(CUT)


@any_protocol
def test_50_parallel_calls_are_all_run(model: Model, send: Send) -> None:
    turn = answer_rings(send(model("stub-t50-n5")))
    assert turn.status == Turn.Status.DONE, turn.error
    assert texts(turn) == [str(number) for number in range(50)]
    assert goes_on(turn, model, send)


@any_protocol
def test_more_calls_than_the_ceiling_end_the_turn_and_none_is_run(
    model: Model, send: Send, settings: Settings
) -> None:
    settings.TURN_CEILINGS = {"calls_a_round": 8}
    turn = answer_rings(send(model("stub-t9")))
    assert turn.status == Turn.Status.FAILED
    assert "9 calls" in turn.error
    assert all(
        text.startswith("This call was not run: the answer asked for 9") for text in texts(turn)
    )
    assert {call.status for call in calls(turn)} == {Span.Status.CANCELLED}
    assert goes_on(turn, model, send)


@any_protocol
def test_calls_of_an_answer_that_broke_off_are_not_run(
    model: Model, send: Send, settings: Settings
) -> None:
    settings.RETRY_SECONDS = 0.01
    turn = answer_rings(send(model("stub-t3-feof-at5-n5")))
    assert turn.status == Turn.Status.FAILED
    assert calls(turn) == []
    assert goes_on(turn, model, send)


def test_what_a_dialect_read_in_another_way_is_noted_on_the_generation() -> None:
    call = '<tool_call>{"name": "f", "parameters": {}}</tool_call>'
    generated = Generated(notes=["a note of the request"], answer=Nous().answer({"content": call}))
    assert generated.attributes()["notes"] == [
        "a note of the request",
        "The arguments of a call of f stood under parameters; they were taken.",
    ]
