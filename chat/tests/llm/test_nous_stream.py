"""Rule 12 of the dialects' specification: text appears as it arrives, and nothing else does."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.llm.dialects import dialect
from chat.llm.dialects.contract import TextDelta
from chat.tests.llm.conversations import apply, block, cuts, json_objects, texts


def visible(pieces: list[str]) -> list[str]:
    """The content that each piece makes visible, and last what the end does."""
    parser = dialect("nous").stream()
    steps = [parser.feed({"content": piece}) for piece in pieces]
    steps.append(parser.finish()[0])
    return ["".join(delta.text for delta in step if delta.part == "content") for step in steps]


def test_text_appears_as_it_arrives() -> None:
    assert visible(["Hel", "lo ", "world"]) == ["Hel", "lo", " world", ""]


@pytest.mark.parametrize("text", ["a < b", "<tool_calls> x", "</tool_callx", "<b>x</b>", "1<<2"])
def test_look_alikes_of_tags_appear(text: str) -> None:
    assert "".join(visible(list(text))) == text


@pytest.mark.parametrize("text", ["a <", "a <tool_call", "a </thin"])
def test_a_tag_that_never_ends_appears_at_the_end(text: str) -> None:
    shown = visible(list(text))

    assert "".join(shown) == text
    assert shown[-1] == text[1:]


def test_what_follows_a_malformed_block_is_not_held_back() -> None:
    assert visible(["<tool_call>", "oops", " and", " on"]) == ["", "oops", " and", " on", ""]


def test_what_follows_a_forgotten_quote_is_held_back_for_a_line_at_most() -> None:
    shown = visible(['<tool_call>{"name": "f}', "}\n", "So", "."])

    assert shown == ["", '{"name": "f}}', "\nSo", ".", ""]


@given(
    thought=texts.filter(lambda text: "<" not in text),
    spoken=texts.filter(lambda text: "<" not in text),
    asked=json_objects,
    data=st.data(),
)
def test_no_reasoning_tag_or_part_of_one_is_ever_visible(
    thought: str, spoken: str, asked: dict[str, Any], data: st.DataObject
) -> None:
    text = f"<think>{thought}</think>{spoken}{block('f', asked)}{spoken}"

    shown = visible(data.draw(cuts(text)))

    assert "".join(shown) == (spoken + spoken).strip()


def test_a_block_whose_end_is_missing_is_a_call_in_single_characters_too() -> None:
    text = '<tool_call>{"name": "f"}\n' * 2
    parser = dialect("nous").stream()
    for character in text:
        assert all(delta.part == "calls" for delta in parser.feed({"content": character}))

    assert len(parser.finish()[1].tool_calls) == 2


def test_a_lone_end_of_reasoning_takes_the_content_back() -> None:
    parser = dialect("nous").stream()
    deltas = parser.feed({"content": "hm "}) + parser.feed({"content": "so</think>Hi"})

    assert TextDelta("content", "", restart=True) in deltas
    assert (apply(deltas, "content"), apply(deltas, "reasoning")) == ("Hi", "hm so")


@pytest.mark.long
@pytest.mark.parametrize(
    "unit",
    ["<", "<tool_call>x", '<tool_call>{"\\', '<tool_call>{"', '<tool_call>{"a":"', "<tool_call>",
     '<tool_call>{"</tool_call>', "<think>", "</think>", " ", "</tool_call>", "[", '{"a":'],
)  # fmt: skip
def test_a_megabyte_of_anything_is_read_in_linear_time(unit: str) -> None:
    text = "<tool_call>" + unit * (1_000_000 // len(unit))
    began = time.process_time()

    parser = dialect("nous").stream()
    for start in range(0, len(text), 1000):
        parser.feed({"content": text[start : start + 1000]})
    parser.finish()

    assert time.process_time() - began < 10  # about 0.6
