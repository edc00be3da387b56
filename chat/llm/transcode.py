"""Dialects from the outside: the text of a JSON value in, the text of another one out.

This is the core of `manage.py transcode`. No input, however broken, is an exception.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chat.llm.dialects import DIALECTS
from chat.llm.dialects.chatml import ChatML
from chat.llm.dialects.contract import Answer, Dialect, TextDelta, Writing
from chat.llm.dialects.qwen_agent import QwenAgent, is_answer, read_history
from chat.llm.incoming import read_conversation
from chat.llm.json_text import parse_json, wire_json
from chat.llm.messages import assistant_message

Notes = Sequence[str]
Convert = Callable[[Any], tuple[dict[str, Any], Notes]]

WRITTEN: Mapping[str, Writing] = {
    **DIALECTS,
    QwenAgent.name: QwenAgent(),
    ChatML.name: ChatML(),
}
READ: Sequence[str] = (*DIALECTS, QwenAgent.name)


@dataclass(frozen=True, slots=True)
class Direction:
    """`convert` gives the output for an input, and notes; `instead` is the output for a bad one,
    beside its error."""

    convert: Convert
    instead: dict[str, Any] = field(default_factory=dict)


def to_dialect(name: str) -> Direction:
    """`{"messages", "tools"?, "tool_choice"?}` → the wire request. `name` is one of `WRITTEN`."""
    return Direction(lambda conversation: _request(WRITTEN[name], conversation))


def from_dialect(name: str) -> Direction:
    """A wire message → the canonical one, with `error` if something was malformed. `name` is one of
    `READ`. A history of Qwen-Agent becomes `{"messages"}`."""
    instead = {**assistant_message("")}
    if name == QwenAgent.name:
        return Direction(_from_qwen_agent, instead)
    return Direction(lambda wire_message: _answer(DIALECTS[name], wire_message), instead)


def from_stream(name: str) -> Direction:
    """A list of deltas, of chunks or of pieces of content → the canonical message, and `visible`:
    the content that each of them made visible, and last what only the end did. `name` is one of
    `DIALECTS`."""
    instead = {**assistant_message(""), "visible": []}
    return Direction(lambda deltas: _stream(DIALECTS[name], deltas), instead)


def transcode(direction: Direction, text: bytes) -> tuple[str, Notes]:
    """The output for one input, on one line, and what the dialect could not express."""
    try:
        output, notes = direction.convert(parse_json(text.decode()))
        return wire_json(output), notes
    except Exception as error:  # the inputs that follow get their turn, whatever this one was
        return wire_json({**direction.instead, "error": str(error) or repr(error)}), ()


def _request(dialect: Writing, conversation: Any) -> tuple[dict[str, Any], Notes]:
    meant = read_conversation(conversation)
    request = dialect.request(meant.messages, meant.tools, meant.tool_choice)
    return request.body, request.notes


def _answer(dialect: Dialect, wire_message: Any) -> tuple[dict[str, Any], Notes]:
    if not isinstance(wire_message, dict):
        raise ValueError("A wire message is an object.")
    answer = dialect.answer(wire_message)
    return _described(answer), answer.notes


def _from_qwen_agent(wire_messages: Any) -> tuple[dict[str, Any], Notes]:
    if isinstance(wire_messages, dict):
        wire_messages = [wire_messages]
    if not isinstance(wire_messages, list) or not _all_objects(wire_messages):
        raise ValueError("An answer, or a history, of Qwen-Agent is a list of messages.")
    if is_answer(wire_messages):
        answer = QwenAgent().answer(wire_messages)
        return _described(answer), answer.notes
    messages, errors = read_history(wire_messages)
    return {"messages": messages, **_error(errors)}, ()


def _stream(dialect: Dialect, deltas: Any) -> tuple[dict[str, Any], Notes]:
    if not isinstance(deltas, list) or not all(
        isinstance(one, str | dict | None) for one in deltas
    ):
        raise ValueError("Deltas are a list of texts or objects.")
    parser = dialect.stream()
    visible = [_content(parser.feed(_delta(one))) for one in deltas]
    last, answer = parser.finish()
    return {**_described(answer), "visible": [*visible, _content(last)]}, answer.notes


def _delta(value: str | dict[str, Any] | None) -> dict[str, Any]:
    """A delta: itself, a content alone (which may be null), or one in its chunk."""
    if not isinstance(value, dict):
        return {"content": value}
    choices = value.get("choices")
    if not isinstance(choices, list):
        return value
    choice = choices[0] if choices else None
    delta = choice.get("delta") if isinstance(choice, dict) else None
    return delta if isinstance(delta, dict) else {}


def _all_objects(values: Iterable[Any]) -> bool:
    return all(isinstance(value, dict) for value in values)


def _described(answer: Answer) -> dict[str, Any]:
    return {**answer.message, **_error(answer.errors)}


def _error(errors: Sequence[str]) -> dict[str, Any]:
    return {"error": " ".join(errors)} if errors else {}


def _content(deltas: Sequence[TextDelta]) -> str:
    return "".join(delta.text for delta in deltas if delta.part == "content")
