"""What holds for every dialect."""

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.llm.dialects import DIALECTS, configured, dialect
from chat.llm.dialects.contract import Answer, Dialect, RequestWriter, TextDelta
from chat.llm.errors import UnknownDialect
from chat.llm.messages import Message
from chat.llm.transcode import WRITERS
from chat.tests.llm.conversations import (
    WEATHER,
    apply,
    assistant,
    block,
    call,
    calls,
    cuts,
    json_values,
    result,
    texts,
    user,
)
from chat.tests.llm.wires import Said, wire

pytestmark = pytest.mark.long
every_writing = pytest.mark.parametrize("written", WRITERS.values(), ids=WRITERS)
every_dialect = pytest.mark.parametrize("spoken", DIALECTS.values(), ids=DIALECTS)

# Everything that means something to a dialect, whole and in parts.
fragments = st.sampled_from(
    [
        "<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_", "call>", "</", "<", ">",
        block("f"), block("f", {"x": "</tool_call>"}), block("g", {"y": "<tool_call>{\""}),
        '{"name": "f", "arguments": {', '"name"', '{"', "{", "}", '"', "\\", "[", ",", ":", "1",
        "<tool_calls>", "a < b", "```", "\n", " ", "\t", "текст", "\U0001f600", "\ud83d", "\ude00",
        '{"name": "f"}', '{"name": "f", "arguments": "{\\"a\\": 1}"}',
    ]
)  # fmt: skip
answers = st.lists(fragments | texts, max_size=14).map("".join)


def streamed(
    spoken: Dialect, deltas: Sequence[Mapping[str, Any]]
) -> tuple[list[TextDelta], Answer]:
    parser = spoken.stream()
    shown = [delta for step in deltas for delta in parser.feed(step)]
    last, answer = parser.finish()
    return shown + last, answer


def without_ids(message: Message) -> Message:
    """The message, ids of calls replaced by their places: those are made anew each time."""
    made = [{**one, "id": str(place)} for place, one in enumerate(message.get("tool_calls", []))]
    return {**message, "tool_calls": made}  # type: ignore[typeddict-item]


@every_dialect
@given(data=st.data())
def test_every_way_of_cutting_gives_the_same_message(spoken: Dialect, data: st.DataObject) -> None:
    text = data.draw(answers)
    pieces: list[Said] = [("content", piece) for piece in data.draw(cuts(text))]

    whole = spoken.answer(wire(spoken.name).message([("content", text)]))
    _, answer = streamed(spoken, wire(spoken.name).deltas(pieces))

    assert without_ids(answer.message) == without_ids(whole.message)
    assert answer.errors == whole.errors


@every_dialect
@given(data=st.data())
def test_the_deltas_are_exactly_the_message(spoken: Dialect, data: st.DataObject) -> None:
    text, thought = data.draw(answers), data.draw(texts)
    pieces: list[Said] = [("reasoning", piece) for piece in data.draw(cuts(thought))]
    pieces += [("content", piece) for piece in data.draw(cuts(text))]

    deltas, answer = streamed(spoken, wire(spoken.name).deltas(pieces))

    assert apply(deltas, "content") == answer.message["content"]
    assert apply(deltas, "reasoning") == answer.message.get("reasoning_content", "")


@every_dialect
@given(text=answers)
def test_every_text_of_an_answer_can_be_encoded(spoken: Dialect, text: str) -> None:
    said = wire(spoken.name).message([("reasoning", text), ("content", text)])

    answer = spoken.answer({**said, "refusal": text})

    assert json.dumps(answer.message, ensure_ascii=False).encode()


@every_dialect
@given(text=answers.filter(lambda text: "\ud83d" not in text and "\ude00" not in text))
def test_origins_say_where_the_content_stood(spoken: Dialect, text: str) -> None:
    said: list[Said] = [("reasoning", "hm"), ("content", text)]
    answer = spoken.answer(wire(spoken.name).message(said))

    stood = wire(spoken.name).texts(said)
    ranges = [origin for origin in answer.origins if origin.became == "content"]
    found = "".join(stood[origin.path][origin.start : origin.end] for origin in ranges)
    assert found == answer.content


@every_dialect
@given(
    text=texts.map(str.strip).filter(lambda text: "<" not in text),
    asked=st.lists(calls, max_size=3),
)
def test_what_was_said_comes_back_from_the_wire(
    spoken: Dialect, text: str, asked: list[Any]
) -> None:
    asked = [{**one, "id": f"call_{place}"} for place, one in enumerate(asked)]
    history = [user("?"), assistant(text, *asked)]
    history += [result("!", one["id"]) for one in asked]

    wire_messages = spoken.request(history, [WEATHER]).body["messages"]
    said = [spoken.answer(one) for one in wire_messages if one["role"] == "assistant"]

    assert "".join(answer.content for answer in said) == text
    assert [
        (one["function"]["name"], json.loads(one["function"]["arguments"]))
        for answer in said
        for one in answer.tool_calls
    ] == [(one["function"]["name"], json.loads(one["function"]["arguments"])) for one in asked]
    assert [answer.errors for answer in said] == [[]] * len(said)


wire_keys = st.sampled_from(
    ["role", "content", "name", "reasoning", "reasoning_content", "refusal", "tool_calls", "x",
     "function_call", "arguments", "type", "index", "delta", "content_block", "message", "text",
     "thinking", "signature", "input", "id", "partial_json", "stop_reason"]
)  # fmt: skip
wire_words = st.sampled_from(
    ["content_block_start", "content_block_delta", "text", "tool_use", "thinking", "assistant",
     "redacted_thinking", "message_delta"]
)  # fmt: skip
wire_values = st.recursive(
    json_values | wire_words | st.just(0),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(wire_keys, inner, max_size=4),
    max_leaves=12,
)
wire_objects = st.dictionaries(wire_keys, wire_values, max_size=6)


@every_dialect
@given(said=wire_objects)
def test_no_wire_message_crashes(spoken: Dialect, said: dict[str, Any]) -> None:
    assert isinstance(spoken.answer(said).message["content"], str)


@every_dialect
@given(said=st.lists(wire_objects, max_size=5))
def test_no_stream_crashes(spoken: Dialect, said: list[dict[str, Any]]) -> None:
    deltas, answer = streamed(spoken, said)

    assert apply(deltas, "content") == answer.content


@every_writing
def test_a_request_leaves_its_arguments_as_they_are(written: RequestWriter) -> None:
    history = [user("?"), assistant(None, call("weather")), result("sun", "z"), user("!")]
    before = json.dumps([history, WEATHER])

    written.request(history, [WEATHER], "auto")

    assert json.dumps([history, WEATHER]) == before


@every_writing
@pytest.mark.parametrize(
    "tool_choice", ["required", {"type": "function", "function": {"name": "weather"}}]
)
def test_a_choice_among_tools_is_sent_or_said(written: RequestWriter, tool_choice: Any) -> None:
    auto = written.request([user("?")], [WEATHER], "auto")
    forced = written.request([user("?")], [WEATHER], tool_choice)

    assert forced.body != auto.body or forced.notes != auto.notes


@every_writing
def test_no_tool_is_called_where_none_may_be(written: RequestWriter) -> None:
    without = written.request([user("?")])
    forbidden = written.request([user("?")], [WEATHER], "none")

    assert forbidden.body == without.body or "none" in json.dumps(forbidden.body)


@every_writing
def test_keys_of_ours_are_not_sent(written: RequestWriter) -> None:
    message: Any = {
        **assistant("a"),
        "refusal": "canary",
        "thinking_blocks": ["canary"],
        "kept_by": "canary",
        "is_error": "canary",
        "x": "canary",
    }

    assert "canary" not in json.dumps(written.request([user("?"), message, user("!")]).body)


@every_dialect
def test_a_request_without_messages_is_one(spoken: Dialect) -> None:
    assert spoken.request([]).body == {"messages": []}


@every_dialect
def test_an_empty_answer_has_empty_content_and_nothing_else(spoken: Dialect) -> None:
    assert spoken.answer({}) == Answer({"role": "assistant", "content": ""})


@every_dialect
def test_reasoning_apart_from_the_content_is_kept_and_shown(spoken: Dialect) -> None:
    said: list[Said] = [("reasoning", " hm"), ("reasoning", "m "), ("content", "so")]

    deltas, answer = streamed(spoken, wire(spoken.name).deltas(said))

    assert answer.message["reasoning_content"] == " hmm "
    assert deltas[0] == TextDelta("reasoning", " hm")


@every_dialect
def test_a_surrogate_pair_cut_between_deltas_becomes_the_character(spoken: Dialect) -> None:
    said: list[Said] = [("content", "a\ud83d"), ("content", "\ude00b")]

    deltas, answer = streamed(spoken, wire(spoken.name).deltas(said))

    assert answer.content == "a\U0001f600b" == apply(deltas, "content")


@every_dialect
def test_half_a_surrogate_pair_is_a_replacement_character(spoken: Dialect) -> None:
    said = wire(spoken.name).message([("content", "a\ud83d")])

    assert spoken.answer(said).content == "a\ufffd"


@every_dialect
def test_a_cut_at_the_limit_is_named_as_the_cause_of_errors(spoken: Dialect) -> None:
    parser = spoken.stream()
    parser.feed({"content": 42})

    _, answer = parser.finish("length")

    assert answer.errors[-1] == "The answer was cut at the limit of its length."


@pytest.mark.long
@every_dialect
def test_100000_deltas_are_read_in_linear_time(spoken: Dialect) -> None:
    deltas = wire(spoken.name).deltas([("content", "<")] * 100_000)
    began = time.process_time()

    _, answer = streamed(spoken, deltas)

    assert answer.content == "<" * 100_000
    assert time.process_time() - began < 10  # about 0.5


def test_an_unknown_name_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(UnknownDialect, match=r"'klingon'.*native, nous"):
        dialect("klingon")


@every_dialect
def test_a_dialect_is_configured_by_its_name(spoken: Dialect) -> None:
    assert configured(spoken.name, returns_reasoning="always").name == spoken.name
