"""The text of chat-completion messages, which three dialects read alike."""

import pytest

from chat.llm.dialects import dialect
from chat.llm.dialects.contract import Dialect, TextDelta
from chat.tests.llm.test_contract import streamed

NAMES = ("native", "nous", "functions")
three_dialects = pytest.mark.parametrize("spoken", [dialect(name) for name in NAMES], ids=NAMES)


@three_dialects
def test_the_keys_of_a_message_come_in_one_order(spoken: Dialect) -> None:
    answer = spoken.answer({"refusal": "no", "reasoning": "hm", "content": "text"})

    assert list(answer.message) == ["role", "content", "reasoning_content", "refusal"]


@three_dialects
def test_a_refusal_is_kept(spoken: Dialect) -> None:
    _, answer = streamed(spoken, [{"refusal": "I can"}, {"refusal": "not."}])

    assert answer.message["refusal"] == "I cannot."


@three_dialects
def test_a_refusal_among_the_parts_of_a_content_is_kept(spoken: Dialect) -> None:
    answer = spoken.answer(
        {"content": [{"type": "text", "text": "Hm."}, {"type": "refusal", "refusal": "no"}]}
    )

    assert answer.message == {"role": "assistant", "content": "Hm.", "refusal": "no"}
    assert answer.errors == []


@three_dialects
@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_reasoning_in_a_field_of_its_own_is_kept_and_shown(spoken: Dialect, key: str) -> None:
    deltas, answer = streamed(spoken, [{key: " hm"}, {key: "m "}, {"content": "so"}])

    assert answer.message["reasoning_content"] == " hmm "
    assert deltas[0] == TextDelta("reasoning", " hm")


@three_dialects
def test_reasoning_sent_under_two_names_is_read_once(spoken: Dialect) -> None:
    answer = spoken.answer({"reasoning_content": "hm", "reasoning": "hm", "content": ""})

    assert answer.message["reasoning_content"] == "hm"


@three_dialects
def test_reasoning_of_a_field_and_of_a_tag_stand_on_two_lines(spoken: Dialect) -> None:
    answer = spoken.answer({"reasoning": "a", "content": "<think>b</think>c"})

    assert answer.message["reasoning_content"] == "a\nb"


@three_dialects
def test_content_in_parts_is_read_and_what_is_not_text_reported(spoken: Dialect) -> None:
    answer = spoken.answer({"content": [{"type": "text", "text": "a"}, {"type": "image"}]})

    assert answer.content == "a"
    assert answer.errors == ["The content has parts that are not text."]
