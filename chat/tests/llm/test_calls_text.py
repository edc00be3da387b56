"""What is shown of tool calls while they are written, in each dialect that shows it."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from chat.llm.dialects import anthropic, functions, native, nous
from chat.llm.dialects.calls_text import CAN
from chat.llm.dialects.contract import Dialect

SEGMENT = re.compile("\x1e(\\d+)\x1f([^\x1f]*)\x1f([^\x1e]*)")
ARGUMENTS = json.dumps({"path": "a.py", "content": "line\n" * 600})
PIECES = [ARGUMENTS[at : at + 7] for at in range(0, len(ARGUMENTS), 7)]


def written(dialect: Dialect, deltas: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, str]]:
    """Name and arguments by number, as somebody sees them who applied the deltas."""
    parser = dialect.stream()
    shown = [delta for step in deltas for delta in parser.feed(step)]
    calls: dict[str, tuple[str, str]] = {}
    text = "".join(delta.text for delta in shown if delta.part == "calls")
    for number, name, arguments in SEGMENT.findall(text):
        calls[number] = name, calls.get(number, ("", ""))[1] + arguments
    return calls


def piece(index: int, arguments: str, **function: str) -> dict[str, Any]:
    return {"index": index, "function": {**function, "arguments": arguments}}


def test_native_arguments_come_as_they_are_written() -> None:
    begins = {"tool_calls": [piece(0, "", name="write_file") | {"id": "c1"}]}
    deltas = [begins, *({"tool_calls": [piece(0, one)]} for one in PIECES)]
    assert written(native.Native(), deltas) == {"0": ("write_file", ARGUMENTS)}


def test_a_function_call_comes_as_it_is_written() -> None:
    deltas = [{"function_call": {"name": "write_file", "arguments": ""}}]
    deltas += [{"function_call": {"arguments": one}} for one in PIECES]
    assert written(functions.Functions(), deltas) == {"0": ("write_file", ARGUMENTS)}


def test_pieces_of_parallel_calls_stay_apart() -> None:
    deltas = [
        {"tool_calls": [piece(0, "{", name="a"), piece(1, "{", name="b")]},
        {"tool_calls": [piece(0, '"x": 1}')]},
        {"tool_calls": [piece(1, '"y": 2}')]},
    ]
    assert written(native.Native(), deltas) == {"0": ("a", '{"x": 1}'), "1": ("b", '{"y": 2}')}


def test_each_piece_is_sent_once() -> None:
    parser = native.Native().stream()
    parser.feed({"tool_calls": [piece(0, "", name="write_file")]})
    sent = [parser.feed({"tool_calls": [piece(0, one)]}) for one in PIECES]
    assert [delta.text for step in sent for delta in step] == PIECES


def test_input_of_the_messages_api_comes_as_it_is_written() -> None:
    use = {"type": "tool_use", "id": "t1", "name": "write_file", "input": {}}
    begins = {"type": "content_block_start", "index": 0, "content_block": use}
    inputs = [{"type": "input_json_delta", "partial_json": one} for one in PIECES]
    deltas = [{"type": "content_block_delta", "index": 0, "delta": one} for one in inputs]
    assert written(anthropic.Anthropic(), [begins, *deltas]) == {"0": ("write_file", ARGUMENTS)}


def test_a_call_in_the_text_is_shown_while_it_is_hidden_there() -> None:
    call = f'{{"name": "write_file", "arguments": {ARGUMENTS}}}'
    text = f"So:\n<tool_call>\n{call}\n</tool_call>"
    deltas = [{"content": text[at : at + 7]} for at in range(0, len(text), 7)]
    ((name, shown),) = written(nous.Nous(), deltas).values()
    assert (name, shown.strip()) == ("write_file", call)


def test_a_block_that_is_no_call_is_dropped() -> None:
    deltas = [{"content": one} for one in ("<tool_call>", '{"name": ', "no}", "</tool_call>")]
    assert [name for name, _ in written(nous.Nous(), deltas).values()] == [CAN]


@pytest.mark.parametrize("text", ["\x1e", "\x1f", "\x18"])
def test_a_separator_in_the_arguments_begins_no_call(text: str) -> None:
    deltas = [{"tool_calls": [piece(0, f"a{text}b", name="f")]}]
    assert written(native.Native(), deltas) == {"0": ("f", "a\ufffdb")}
