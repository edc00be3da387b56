"""What makes a request of the Messages API invalid: the rules of its reference, each a sentence.

Thinking blocks are checked as the real API does it: by a signature of their text, to the byte.
"""

import base64
import hashlib
import re
from collections.abc import Sequence
from typing import Any

KEYS = frozenset(
    {
        *("model", "max_tokens", "messages", "system", "tools", "tool_choice", "stream"),
        *("temperature", "top_p", "top_k", "stop_sequences", "thinking", "output_config"),
        *("cache_control", "metadata", "service_tier"),
    }
)
NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
ID = re.compile(r"[a-zA-Z0-9_-]+")
THINKING = ("thinking", "redacted_thinking")


def signature(thinking: str) -> str:
    """The stub's signature of a thinking block."""
    digest = hashlib.sha256(b"stub" + thinking.encode(errors="surrogatepass")).digest()
    return base64.b64encode(digest).decode()


def check_messages_request(asked: dict[str, Any]) -> None:
    """Raises ValueError with the rule that is broken."""
    extra = asked.keys() - KEYS
    _must(not extra, f"{', '.join(sorted(extra))}: extra inputs are not permitted")
    limit = asked.get("max_tokens")
    _must(isinstance(limit, int) and limit >= 1, "max_tokens: a positive integer is required")
    _check_system(asked.get("system", "none"))
    _check_tools(asked.get("tools", []))
    _check_roles(asked["messages"])
    for message in asked["messages"]:
        for block in _blocks(message):
            _check_block(block, message["role"])
    _check_pairs(asked["messages"])


def _must(holds: object, sentence: str) -> None:
    if not holds:
        raise ValueError(sentence)


def _blocks(message: dict[str, Any]) -> Sequence[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _check_system(system: Any) -> None:
    blocks = _blocks({"content": system})
    _must(blocks and all(block["text"] for block in blocks), "system: empty text")


def _check_tools(tools: list[dict[str, Any]]) -> None:
    names = [tool["name"] for tool in tools]
    _must(all(map(NAME.fullmatch, names)), "tools: a name that is not allowed")
    _must(len(set(names)) == len(names), "tools: names must be unique")
    is_object = all(tool["input_schema"]["type"] == "object" for tool in tools)
    _must(is_object, "tools: input_schema must be an object")


def _check_roles(messages: list[dict[str, Any]]) -> None:
    roles = [message["role"] for message in messages]
    _must(roles, "messages: at least one is required")
    expected = [("user", "assistant")[n % 2] for n in range(len(roles))]
    _must(roles == expected, "messages: roles must alternate and begin with user")
    _must(roles[-1] == "user", "messages: the last must be the user's")
    keys = {key for message in messages for key in message}
    _must(keys == {"role", "content"}, "messages: extra inputs are not permitted")
    _must(all(map(_blocks, messages)), "messages: content must not be empty")


def _check_block(block: dict[str, Any], role: str) -> None:
    match block["type"], role:
        case "text", _:
            _must(block["text"], "text content blocks must be non-empty")
        case "thinking", "assistant":
            signed = block["signature"] == signature(block["thinking"])
            _must(signed, "Invalid `signature` in `thinking` block")
        case "redacted_thinking", "assistant":
            _must(block["data"], "redacted_thinking without data")
        case "tool_use", "assistant":
            _must(ID.fullmatch(block["id"]), "tool_use.id: not allowed")
            _must(NAME.fullmatch(block["name"]), "tool_use.name: not allowed")
            _must(isinstance(block["input"], dict), "tool_use.input: must be an object")
        case (("tool_result" | "image" | "document"), "user"):
            pass
        case kind, _:
            raise ValueError(f"{kind} is not allowed in a message of the {role}")


def _check_pairs(messages: list[dict[str, Any]]) -> None:
    """Every call is answered at the start of the very next message, and nothing else is."""
    for at, message in enumerate(messages):
        kinds = [block["type"] for block in _blocks(message)]
        called = [block["id"] for block in _blocks(message) if block["type"] == "tool_use"]
        _must(len(set(called)) == len(called), "tool_use ids must be unique")
        if called:
            _must(_results(messages[at + 1]) == set(called), "tool_use without tool_result")
        if "tool_result" in kinds:
            last = max(n for n, kind in enumerate(kinds) if kind == "tool_result")
            _must(set(kinds[: last + 1]) == {"tool_result"}, "tool_result must come first")
            before = [block.get("id") for block in _blocks(messages[at - 1])]
            _must(at and _results(message) <= set(before), "tool_result without tool_use")
            _must(kinds.count("tool_result") == len(_results(message)), "a second tool_result")
        if "thinking" in kinds and any(kind in THINKING for kind in kinds):
            _must(kinds[0] in THINKING, "thinking must come first in its message")


def _results(message: dict[str, Any]) -> set[str]:
    return {block["tool_use_id"] for block in _blocks(message) if block["type"] == "tool_result"}
