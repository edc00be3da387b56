"""The parts of a request by which a recorded round is found.

Role and content, calls and results, in their order; not ids, tools, parameters, reasoning, nor the
tool list that the dialect `nous` writes into the system message. Both protocols have the same form.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from chat.llm.json_text import parse_json

# The dialect's own block at the end of a system message.
TOOLS_BLOCK = re.compile(r"(\A|\n\n)# Tools\n\nYou may call one or more functions")
ROLES = {"developer": "system", "function": "tool"}
THINKING = frozenset({"thinking", "redacted_thinking"})

Message = dict[str, Any]


@dataclass(frozen=True)
class ComparedMessage:
    """One message of a conversation. `calls`: name and arguments of each."""

    role: str
    content: str
    calls: tuple[tuple[str, str], ...] = ()

    @property
    def written(self) -> bytes:
        value = [self.role, self.content, self.calls]
        return json.dumps(value, separators=(",", ":")).encode()


def compared_messages(protocol: str, body: dict[str, Any]) -> list[ComparedMessage]:
    """The messages of a request. Raises ValueError if it has no list of messages."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not all(isinstance(each, dict) for each in messages):
        raise ValueError("The body has to be a JSON object with a list of messages.")
    if protocol == "anthropic":
        compared = [_system(_content(body.get("system"))), *_of_blocks(messages)]
    else:
        compared = [_of_message(message) for message in messages]
    return [entry for entry in compared if entry != ComparedMessage("system", "")]


def _of_message(message: Message) -> ComparedMessage:
    role = str(message.get("role"))
    role = ROLES.get(role, role)
    content = _content(message.get("content"))
    if role == "system":
        return _system(content)
    return ComparedMessage(role, content, tuple(_calls(message)))


def _system(content: str) -> ComparedMessage:
    match = TOOLS_BLOCK.search(content)
    return ComparedMessage("system", content[: match.start()] if match else content)


def _calls(message: Message) -> Iterator[tuple[str, str]]:
    functions = [call.get("function") for call in _objects(message.get("tool_calls"))]
    for function in (*functions, message.get("function_call")):
        if isinstance(function, dict):
            yield str(function.get("name")), _arguments(function.get("arguments"))


def _arguments(written: Any) -> str:
    """Arguments as canonical JSON; unchanged if they are no JSON."""
    try:
        return _canonical_json(parse_json(written))
    except (ValueError, TypeError, RecursionError):
        return str(written or "")


def _of_blocks(messages: list[Message]) -> Iterator[ComparedMessage]:
    """Messages of the Messages API, where results are blocks of user messages."""
    for message in messages:
        role, content = str(message.get("role")), message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        other_blocks = []
        calls = []
        for block in _objects(blocks):
            if block.get("type") == "tool_result":
                yield ComparedMessage("tool", _content(block.get("content")))
            elif block.get("type") == "tool_use":
                calls.append((str(block.get("name")), _canonical_json(block.get("input"))))
            elif block.get("type") not in THINKING:
                other_blocks.append(block)
        if other_blocks or calls or role == "assistant":
            yield ComparedMessage(role, _content(other_blocks), tuple(calls))


def _content(content: Any) -> str:
    """Joined texts; with other parts among them, canonical JSON."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = [_without_marks(part) for part in _objects(content)]
    if all(part.get("type") == "text" for part in parts):
        return "".join(str(part.get("text", "")) for part in parts)
    return _canonical_json(parts)


def _without_marks(part: Message) -> Message:
    return {key: value for key, value in part.items() if key != "cache_control"}


def _canonical_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _objects(value: Any) -> Iterable[Message]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
