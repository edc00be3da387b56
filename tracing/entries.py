"""A message of a payload as the page shows it: role, text, reasoning, calls."""

import json
from dataclasses import dataclass, field
from typing import Any

from tracing.fields import dump_json
from tracing.text import Clip, clip, decode, visible

MOST_CHARACTERS = 12_000
_SHOWN_APART = {
    "role",
    "content",
    "reasoning_content",
    "refusal",
    "tool_calls",
    "tool_call_id",
    "name",
}


@dataclass(frozen=True)
class CallText:
    """A call as the message words it.

    `number` is that of its origin in the response, `taken` the id that the model had given it.
    """

    name: str
    arguments: Clip
    id: str = ""
    number: int = 0
    taken: str = ""


@dataclass(frozen=True)
class Entry:
    """`change` against the round before: `added`, `removed`, `same`, or empty for no comparison."""

    position: int
    role: str
    content: Clip
    reasoning: Clip = field(default_factory=lambda: Clip(""))
    calls: list[CallText] = field(default_factory=list)
    answers: str = ""
    name: str = ""
    is_error: bool = False
    rest: str = ""
    change: str = ""
    size: int = 0


def read_entry(element: bytes, position: int, change: str) -> Entry:
    """The entry for one element of a list; what is no message is shown as its JSON text."""
    try:
        message = json.loads(element)
        if isinstance(message, dict):
            return entry_of(message, position, change, len(element))
    except (ValueError, RecursionError):
        pass
    text = decode(element, MOST_CHARACTERS)
    return Entry(position, "", text, change=change, size=len(element))


def entry_of(message: dict[str, Any], position: int, change: str, size: int) -> Entry:
    rest = {key: value for key, value in message.items() if key not in _SHOWN_APART}
    is_error = rest.pop("is_error", None) is True
    calls = message.get("tool_calls")
    return Entry(
        position=position,
        role=_short(message.get("role")),
        content=clip(_said(message), MOST_CHARACTERS),
        reasoning=clip(_text(message.get("reasoning_content")), MOST_CHARACTERS),
        calls=[read_call(call) for call in calls] if isinstance(calls, list) else [],
        answers=_short(message.get("tool_call_id")),
        name=_short(message.get("name")),
        is_error=is_error,
        rest=clip(dump_json(rest), MOST_CHARACTERS).text if rest else "",
        change=change,
        size=size,
    )


def tool_name(element: bytes) -> str:
    """The name in a tool definition, with or without the wrapper."""
    try:
        tool = json.loads(element)
        named = tool.get("function", tool)
        return _short(named.get("name")) or "?"
    except (ValueError, RecursionError, AttributeError):
        return "?"


def read_call(call: Any) -> CallText:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return CallText("?", clip(_text(call), MOST_CHARACTERS))
    arguments = clip(_text(function.get("arguments")), MOST_CHARACTERS)
    return CallText(_short(function.get("name")) or "?", arguments, _short(call.get("id")))


def _said(message: dict[str, Any]) -> str:
    texts = [_text(message.get("content")), _text(message.get("refusal"))]
    return "\n\n".join(text for text in texts if text)


def _text(value: Any) -> str:
    """Text, the texts of content parts, or JSON for anything else."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value:
        return "\n".join(_part_text(part) for part in value)
    return dump_json(value)


def _part_text(part: Any) -> str:
    text = part.get("text") if isinstance(part, dict) else None
    return text if isinstance(text, str) else dump_json(part)


def _short(value: Any) -> str:
    return visible(_text(value)[:200])
