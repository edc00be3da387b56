"""Texts, JSON values and bytes that look like what a model server sends, and almost do."""

import json
from random import Random
from typing import Any

# Everything that means something to a dialect, whole and in parts.
MARKS = (
    "<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_", "call>", "</", "<", ">",
    '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
    '<tool_call>{"name": "g", "arguments": {"x": "</tool_call><tool_call>"}}</tool_call>',
    '{"name": "f", "arguments": ', '"name"', '{"', "{", "}", '"', "\\", '\\"', "\\u12", "[", "]",
    ",", ":", "1e999", "-0.0", "NaN", "null", "9" * 50, "<tool_calls>", "a < b", "```", "\n", "\r",
    " ", "\t", "\0", "текст", "北京", "\U0001f600", "\ud83d", "\ude00", "\u2028", "\x85", "\ufeff",
)  # fmt: skip
KEYS = (
    "role", "content", "name", "tool_calls", "tool_call_id", "function", "function_call", "id",
    "arguments", "type", "index", "delta", "content_block", "message", "messages", "tools", "text",
    "thinking", "signature", "input", "partial_json", "reasoning", "reasoning_content", "refusal",
    "parameters", "tool_choice", "image_url", "url", "file", "file_data", "filename", "choices",
    "finish_reason", "usage", "error", "extra", "function_id", "stop_reason", "thinking_blocks",
    "is_error", "image", "description",
)  # fmt: skip
WORDS = (
    "assistant", "user", "system", "tool", "function", "developer", "text", "tool_use", "thinking",
    "redacted_thinking", "content_block_start", "content_block_delta", "message_start", "f", "",
    "message_delta", "message_stop", "ping", "error", "auto", "required", "none", "stop", "length",
    "data:text/plain;base64,5YyX", "data:,a", "https://a.example/b.png", "{}", '{"a": 1}', "a.b",
)  # fmt: skip
DEEPEST = 6


class Grammar:
    """Draws from one source of randomness, so that a case can be made again."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def text(self, longest: int = 12) -> str:
        """Marks and words, mutated now and then."""
        marks = self.random.choices(MARKS, k=self.random.randint(0, longest))
        text = "".join(marks)
        return self.mutated(text) if self.random.random() < 0.3 else text

    def arguments(self) -> str:
        if self.random.random() < 0.3:
            return self.text(4)
        return json.dumps({self.word(): self.value(3)}, ensure_ascii=self.random.random() < 0.5)

    def word(self) -> str:
        return self.random.choice(KEYS if self.random.random() < 0.5 else WORDS)

    def value(self, depth: int = 0) -> Any:
        """A JSON value whose keys and words are often the right ones."""
        draw = self.random.random()
        if depth >= DEEPEST or draw < 0.35:
            return self._scalar()
        if draw < 0.55:
            return [self.value(depth + 1) for _ in range(self.random.randint(0, 3))]
        return self.object(depth + 1)

    def object(self, depth: int = 0) -> dict[str, Any]:
        keys = self.random.choices(KEYS, k=self.random.randint(0, 5))
        return {key: self.value(depth + 1) for key in keys}

    def mutated(self, text: str) -> str:
        """The text with a few spans cut out, doubled, moved or replaced."""
        for _ in range(self.random.randint(1, 3)):
            start, end = sorted(self.random.randint(0, len(text)) for _ in range(2))
            end = min(end, start + 200)
            span = text[start:end]
            put = self.random.choice(("", span * 2, span[::-1], self.random.choice(MARKS)))
            text = text[:start] + put + text[end:]
        return text

    def mutated_value(self, value: Any) -> Any:
        """The value, with some part of it replaced by another."""
        if self.random.random() < 0.15:
            return self.value(3)
        if isinstance(value, dict) and value:
            key = self.random.choice(list(value))
            if self.random.random() < 0.15:
                return {name: one for name, one in value.items() if name != key}
            return {**value, key: self.mutated_value(value[key])}
        if isinstance(value, list) and value:
            place = self.random.randrange(len(value))
            return [*value[:place], self.mutated_value(value[place]), *value[place + 1 :]]
        return self.value(3)

    def cuts(self, length: int) -> list[slice]:
        """Where to cut something of this length: seldom, or behind everything."""
        most = self.random.choice((1, 3, 12, length))
        places = sorted(self.random.randint(0, length) for _ in range(self.random.randint(0, most)))
        return [
            slice(start, end) for start, end in zip([0, *places], [*places, length], strict=True)
        ]

    def _scalar(self) -> Any:
        draw = self.random.random()
        if draw < 0.4:
            return self.word()
        if draw < 0.7:
            return self.text(4)
        return self.random.choice((None, True, False, 0, 1, -1, 0.5, 2**70, 3))
