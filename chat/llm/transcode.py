"""Dialects from the outside: the text of a JSON value in, the text of another one out.

This is the core of `manage.py transcode`. No input, however broken, is an exception.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from chat.llm.dialects.contract import Answer, Dialect, TextDelta
from chat.llm.incoming import read_conversation
from chat.llm.json_text import parse_json, wire_json
from chat.llm.messages import assistant_message


@dataclass(frozen=True, slots=True)
class Direction:
    """`convert` gives the output for an input, and notes; `instead` is the output for a bad one,
    beside its error."""

    convert: Callable[[Dialect, Any], tuple[dict[str, Any], Sequence[str]]]
    instead: dict[str, Any] = field(default_factory=dict)


def transcode(dialect: Dialect, direction: Direction, text: bytes) -> tuple[str, Sequence[str]]:
    """The output for one input, on one line, and what the dialect could not express."""
    try:
        output, notes = direction.convert(dialect, parse_json(text.decode()))
        return wire_json(output), notes
    except Exception as error:  # the inputs that follow get their turn, whatever this one was
        return wire_json({**direction.instead, "error": str(error) or repr(error)}), ()


def _request(dialect: Dialect, conversation: Any) -> tuple[dict[str, Any], Sequence[str]]:
    """`{"messages", "tools"?, "tool_choice"?}` → the wire request."""
    meant = read_conversation(conversation)
    request = dialect.request(meant.messages, meant.tools, meant.tool_choice)
    return request.body, request.notes


def _answer(dialect: Dialect, wire_message: Any) -> tuple[dict[str, Any], Sequence[str]]:
    """A wire message → the canonical one, with `error` if something was malformed."""
    if not isinstance(wire_message, dict):
        raise ValueError("A wire message is an object.")
    return _described(dialect.answer(wire_message)), ()


def _stream(dialect: Dialect, deltas: Any) -> tuple[dict[str, Any], Sequence[str]]:
    """A list of deltas, or of pieces of content → the canonical message, and `visible`: the content
    that each of them made visible, and last what only the end did."""
    if not isinstance(deltas, list) or not all(isinstance(delta, str | dict) for delta in deltas):
        raise ValueError("Deltas are a list of texts or objects.")
    parser = dialect.stream()
    visible = [
        _content(parser.feed({"content": delta} if isinstance(delta, str) else delta))
        for delta in deltas
    ]
    last, answer = parser.finish()
    return {**_described(answer), "visible": [*visible, _content(last)]}, ()


def _described(answer: Answer) -> dict[str, Any]:
    error = {"error": " ".join(answer.errors)} if answer.errors else {}
    return {**answer.message, **error}


def _content(deltas: Sequence[TextDelta]) -> str:
    return "".join(delta.text for delta in deltas if delta.part == "content")


TO = Direction(_request)
FROM = Direction(_answer, {**assistant_message("")})
FROM_STREAM = Direction(_stream, {**assistant_message(""), "visible": []})
