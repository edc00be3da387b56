"""What holds for every dialect."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.llm.dialects import DIALECTS, dialect
from chat.llm.dialects.contract import Answer, Dialect, TextDelta
from chat.llm.errors import UnknownDialect
from chat.llm.messages import Message
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


def streamed(spoken: Dialect, deltas: list[dict[str, Any]]) -> tuple[list[TextDelta], Answer]:
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
    pieces = [{"content": piece} for piece in data.draw(cuts(text))]

    whole = spoken.answer({"role": "assistant", "content": text})
    _, answer = streamed(spoken, pieces)

    assert without_ids(answer.message) == without_ids(whole.message)
    assert answer.errors == whole.errors


@every_dialect
@given(data=st.data())
def test_the_deltas_are_exactly_the_message(spoken: Dialect, data: st.DataObject) -> None:
    text, thought = data.draw(answers), data.draw(texts)
    pieces = [{"reasoning_content": piece} for piece in data.draw(cuts(thought))]
    pieces += [{"content": piece} for piece in data.draw(cuts(text))]

    deltas, answer = streamed(spoken, pieces)

    assert apply(deltas, "content") == answer.message["content"]
    assert apply(deltas, "reasoning") == answer.message.get("reasoning_content", "")


@every_dialect
@given(text=answers)
def test_every_text_of_an_answer_can_be_encoded(spoken: Dialect, text: str) -> None:
    answer = spoken.answer({"content": text, "reasoning": text, "refusal": text})

    assert json.dumps(answer.message, ensure_ascii=False).encode()


@every_dialect
@given(text=answers.filter(lambda text: "\ud83d" not in text and "\ude00" not in text))
def test_origins_say_where_the_content_stood(spoken: Dialect, text: str) -> None:
    answer = spoken.answer({"content": text})

    ranges = [origin for origin in answer.origins if origin.became == "content"]
    assert "".join(text[origin.start : origin.end] for origin in ranges) == answer.content


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

    wire = spoken.request(history, [WEATHER]).body["messages"]
    said = next(message for message in wire if message["role"] == "assistant")
    answer = spoken.answer(said)

    assert answer.content == text
    assert [
        (one["function"]["name"], json.loads(one["function"]["arguments"]))
        for one in answer.tool_calls
    ] == [(one["function"]["name"], json.loads(one["function"]["arguments"])) for one in asked]
    assert answer.errors == []


@every_dialect
@given(
    wire=st.dictionaries(
        st.sampled_from(
            ["role", "content", "reasoning", "reasoning_content", "refusal", "tool_calls", "x"]
        ),
        json_values,
    )
)
def test_no_wire_message_crashes(spoken: Dialect, wire: dict[str, Any]) -> None:
    assert isinstance(spoken.answer(wire).message["content"], str)


@every_dialect
def test_a_request_leaves_its_arguments_as_they_are(spoken: Dialect) -> None:
    history = [user("?"), assistant(None, call("weather")), result("sun", "z"), user("!")]
    before = json.dumps([history, WEATHER])

    spoken.request(history, [WEATHER], "auto")

    assert json.dumps([history, WEATHER]) == before


@every_dialect
def test_a_request_without_messages_is_one(spoken: Dialect) -> None:
    assert spoken.request([]).body == {"messages": []}


@every_dialect
def test_an_empty_answer_has_empty_content_and_nothing_else(spoken: Dialect) -> None:
    assert spoken.answer({}) == Answer({"role": "assistant", "content": ""})


@every_dialect
def test_the_keys_of_a_message_come_in_one_order(spoken: Dialect) -> None:
    answer = spoken.answer({"refusal": "no", "reasoning": "hm", "content": "text"})

    assert list(answer.message) == ["role", "content", "reasoning_content", "refusal"]


@every_dialect
def test_a_refusal_is_kept(spoken: Dialect) -> None:
    _, answer = streamed(spoken, [{"refusal": "I can"}, {"refusal": "not."}])

    assert answer.message["refusal"] == "I cannot."


@every_dialect
@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_reasoning_in_a_field_of_its_own_is_kept_and_shown(spoken: Dialect, key: str) -> None:
    deltas, answer = streamed(spoken, [{key: " hm"}, {key: "m "}, {"content": "so"}])

    assert answer.message["reasoning_content"] == " hmm "
    assert deltas[0] == TextDelta("reasoning", " hm")


@every_dialect
def test_reasoning_sent_under_two_names_is_read_once(spoken: Dialect) -> None:
    answer = spoken.answer({"reasoning_content": "hm", "reasoning": "hm", "content": ""})

    assert answer.message["reasoning_content"] == "hm"


@every_dialect
def test_reasoning_of_a_field_and_of_a_tag_stand_on_two_lines(spoken: Dialect) -> None:
    answer = spoken.answer({"reasoning": "a", "content": "<think>b</think>c"})

    assert answer.message["reasoning_content"] == "a\nb"


@every_dialect
def test_a_surrogate_pair_cut_between_deltas_becomes_the_character(spoken: Dialect) -> None:
    deltas, answer = streamed(spoken, [{"content": "a\ud83d"}, {"content": "\ude00b"}])

    assert answer.content == "a\U0001f600b" == apply(deltas, "content")


@every_dialect
def test_half_a_surrogate_pair_is_a_replacement_character(spoken: Dialect) -> None:
    assert spoken.answer({"content": "a\ud83d"}).content == "a\ufffd"


@every_dialect
def test_content_in_parts_is_read_and_what_is_not_text_reported(spoken: Dialect) -> None:
    answer = spoken.answer({"content": [{"type": "text", "text": "a"}, {"type": "image"}]})

    assert answer.content == "a"
    assert answer.errors == ["The content has parts that are not text."]


@every_dialect
def test_a_cut_at_the_limit_is_named_as_the_cause_of_errors(spoken: Dialect) -> None:
    parser = spoken.stream()
    parser.feed({"content": 42})

    _, answer = parser.finish("length")

    assert answer.errors[-1] == "The answer was cut at the limit of its length."


@every_dialect
def test_100000_deltas_are_read_in_linear_time(spoken: Dialect) -> None:
    began = time.process_time()

    _, answer = streamed(spoken, [{"content": "<"}] * 100_000)

    assert answer.content == "<" * 100_000
    assert time.process_time() - began < 10  # about 0.5


def test_an_unknown_name_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(UnknownDialect, match=r"'klingon'.*native, nous"):
        dialect("klingon")
