"""What several formats need: ids of conversations, calls and results as messages."""

import hashlib
from collections import Counter
from typing import Any

from chat.llm.messages import Message, ToolCall, assistant_message, tool_call
from db.fields import dump_json

# The parent of a first message, in products that name one.
ROOTS = frozenset(
    {
        "",
        "00000000-0000-0000-0000-000000000000",
        "00000000-0000-4000-8000-000000000000",
        "client-created-root",
    }
)


def parent_of(value: Any) -> str | None:
    return None if value is None or str(value) in ROOTS else str(value)


def key_of(value: dict[str, Any], *names: str) -> str:
    """The first id among these members; without one a digest of the whole conversation, so that
    the same one is recognised again."""
    for name in names:
        if isinstance(found := value.get(name), str) and found:
            return found[:200]
    return digest(value)


def digest(value: Any) -> str:
    return hashlib.sha256(dump_json(value).encode()).hexdigest()


def arguments_text(value: Any) -> str:
    """The arguments of a call as JSON text."""
    return value if isinstance(value, str) else dump_json({} if value is None else value)


def call_message(calls: list[ToolCall], content: str = "", reasoning: str = "") -> Message:
    return assistant_message(content, reasoning, calls=calls)


def result_message(call_id: str, content: str, *, is_error: bool = False) -> Message:
    message: Message = {"role": "tool", "tool_call_id": call_id, "content": content}
    return {**message, "is_error": True} if is_error else message


def named_call(call_id: str, name: Any, arguments: Any) -> ToolCall:
    return tool_call(call_id, str(name or "tool"), arguments_text(arguments))


def result_text(value: Any) -> str:
    """The result of a call as text: its text blocks, else its JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        texts = [one["text"] for one in value if isinstance(one, dict) and _has_text(one)]
        if len(texts) == len(value):
            return "\n".join(texts)
    return "" if value is None else dump_json(value)


def _has_text(block: dict[str, Any]) -> bool:
    return isinstance(block.get("text"), str)


def with_files(text: str, files: list[str], left_out: Counter[str], kind: str) -> str:
    """A question with the names of files that the export does not contain."""
    left_out[kind] += len(files)
    return "\n\n".join([*(f"[{name}]" for name in files), *([text] if text else [])])
