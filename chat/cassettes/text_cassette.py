"""Cassettes of texts: recorded rounds of the walkthrough, which are served again.

A round is found by its messages: role and content, calls and results, in their order. Tools and
parameters do not count, nor does the tool list that the dialect `nous` writes into the system
message.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

TOOLS_BLOCK = "\n\n# Tools\n\nYou may call one or more functions"

Message = dict[str, Any]
Signature = tuple[str, ...]


@dataclass(frozen=True)
class TextRound:
    """One recorded model call: its wire messages, and the pieces of its response text."""

    label: str
    messages: tuple[Message, ...]
    pieces: tuple[str, ...]

    @property
    def text(self) -> str:
        return "".join(self.pieces)


@dataclass(frozen=True)
class TextCassette:
    """The rounds of one recorded conversation, in their order."""

    name: str
    model: str
    rounds: tuple[TextRound, ...]

    def find(self, messages: Sequence[Message]) -> TextRound | None:
        """The round with exactly these messages."""
        wanted = signatures(messages)
        return next((r for r in self.rounds if signatures(r.messages) == wanted), None)

    def nearest(self, messages: Sequence[Message]) -> TextRound:
        """The round with the longest common prefix of messages."""
        wanted = signatures(messages)
        return max(self.rounds, key=lambda r: _agreement(signatures(r.messages), wanted))


def signatures(messages: Sequence[Message]) -> list[Signature]:
    """The compared parts of each message."""
    return [signature(message) for message in messages]


def signature(message: Message) -> Signature:
    content = message.get("content") or ""
    text = content if isinstance(content, str) else json.dumps(content, sort_keys=True)
    if message.get("role") == "system":
        text = text.partition(TOOLS_BLOCK)[0]
    calls = [
        json.dumps(call.get("function"), sort_keys=True) for call in message.get("tool_calls") or ()
    ]
    return (str(message.get("role")), text, *calls)


def _agreement(left: list[Signature], right: list[Signature]) -> tuple[int, int]:
    same = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        same += 1
    return same, -abs(len(left) - len(right))


def chunks(model: str, pieces: Sequence[str], prompt_tokens: int) -> Iterator[bytes]:
    """The pieces as server-sent events of the chat-completions API, one event an item."""
    head = {
        "id": "chatcmpl-cassette",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": model,
    }

    def event(**rest: Any) -> bytes:
        data = json.dumps({**head, **rest}, ensure_ascii=False, separators=(",", ":"))
        return f"data: {data}\n\n".encode()

    def choice(delta: Message, finish_reason: str | None = None) -> list[Message]:
        return [{"index": 0, "delta": delta, "finish_reason": finish_reason}]

    yield event(choices=choice({"role": "assistant", "content": ""}))
    for piece in pieces:
        yield event(choices=choice({"content": piece}))
    yield event(choices=choice({}, "stop"))
    usage = {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": len(pieces),
        "total_tokens": prompt_tokens + len(pieces),
    }
    yield event(choices=[], usage=usage)
    yield b"data: [DONE]\n\n"
