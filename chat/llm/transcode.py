"""Dialects on JSON text, for `manage.py transcode`: one JSON value in, another one out.

No input raises an exception: the output for an invalid one has `error`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chat.llm.conversation_json import read_conversation
from chat.llm.dialects import DIALECTS
from chat.llm.dialects.chatml import ChatML
from chat.llm.dialects.contract import Answer, Dialect, RequestWriter, TextDelta
from chat.llm.dialects.qwen_agent import QwenAgent, is_answer, read_history
from chat.llm.json_text import parse_json, wire_json
from chat.llm.messages import assistant_message

Notes = Sequence[str]
Convert = Callable[[Any], tuple[dict[str, Any], Notes]]

WRITERS: Mapping[str, RequestWriter] = {
    **DIALECTS,
    QwenAgent.name: QwenAgent(),
    ChatML.name: ChatML(),
}
READERS: Sequence[str] = (*DIALECTS, QwenAgent.name)


@dataclass(frozen=True, slots=True)
class Direction:
    """`convert`: from an input to its output, with notes. `instead`: the output for an invalid
    input, besides `error`."""

    convert: Convert
    instead: dict[str, Any] = field(default_factory=dict)


def to_dialect(name: str) -> Direction:
    """`{"messages", "tools"?, "tool_choice"?}` → the wire request. `name` is one of `WRITERS`."""
    return Direction(lambda conversation: _request(WRITERS[name], conversation))


def from_dialect(name: str) -> Direction:
    """A wire message → the canonical one, with `error` if something was malformed. `name` is one of
    `READERS`. A history of Qwen-Agent becomes `{"messages"}`."""
    instead = {**assistant_message("")}
    if name == QwenAgent.name:
        return Direction(_from_qwen_agent, instead)
    return Direction(lambda wire_message: _answer(DIALECTS[name], wire_message), instead)


def from_stream(name: str) -> Direction:
    """A list of deltas, chunks or content pieces → the canonical message, and `visible`: the
    content that each of them made visible, and last the content shown at the end. `name` is one of
    `DIALECTS`."""
    instead = {**assistant_message(""), "visible": []}
    return Direction(lambda deltas: _stream(DIALECTS[name], deltas), instead)


def transcode(direction: Direction, text: bytes) -> tuple[str, Notes]:
    """The output for one input, on one line, and notes about what the dialect cannot express."""
    try:
        output, notes = direction.convert(parse_json(text.decode()))
        return wire_json(output), notes
    except Exception as error:  # the inputs that follow are converted all the same
        return wire_json({**direction.instead, "error": str(error) or repr(error)}), ()


def _request(dialect: RequestWriter, conversation: Any) -> tuple[dict[str, Any], Notes]:
    read = read_conversation(conversation)
    request = dialect.request(read.messages, read.tools, read.tool_choice)
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
    """The delta of a value: a delta, a bare content (which may be null), or a chunk."""
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
