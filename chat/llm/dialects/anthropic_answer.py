"""Reads an answer of Anthropic's Messages API: content blocks, in events or as a whole."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from chat.llm.dialects.anthropic_names import given_name
from chat.llm.dialects.calls_text import CallsText
from chat.llm.dialects.contract import Answer, Origin, Part, TextDelta
from chat.llm.dialects.shown import Piece, Shown, Unsplit, whole
from chat.llm.history import with_own_ids
from chat.llm.json_text import is_object, prompt_json
from chat.llm.messages import NO_NAME, UNNAMED, ToolCall, assistant_message, tool_call

# What a block of text adds to, and the key of its text.
_TEXTS: Mapping[str, tuple[Part, str]] = {
    "text": ("content", "text"),
    "thinking": ("reasoning", "thinking"),
}
_KNOWN = (*_TEXTS, "tool_use", "redacted_thinking")


@dataclass(slots=True, eq=False)
class _Block:
    """A content block as far as it has arrived. `written` is thinking, or the input of a call."""

    place: int
    kind: str
    start: dict[str, Any]
    written: list[str] = field(default_factory=list)
    signature: str = ""
    shown: int = 0  # characters
    unsplit: Unsplit = field(default_factory=Unsplit)


class AnthropicStream:
    """Reads one answer as it arrives."""

    def __init__(self) -> None:
        self._shown = Shown()
        self._calls = CallsText()
        self._blocks: list[_Block] = []
        self._open: dict[int, _Block] = {}  # by index
        self._errors: dict[str, None] = {}  # an ordered set

    def feed(self, event: Mapping[str, Any]) -> list[TextDelta]:
        """Takes an event of a stream, or a whole message."""
        kind = event.get("type")
        if kind == "content_block_delta":
            self._continue(event.get("index"), event.get("delta"))
        elif kind == "content_block_start":
            self._begin(event.get("index"), event.get("content_block"))
        elif kind == "message_start" and isinstance(message := event.get("message"), dict):
            self._read(message.get("content"))
        else:
            self._read(event.get("content"))
        return [*self._shown.take(), *self._calls.take()]

    def finish(self, finish_reason: str | None = None) -> tuple[list[TextDelta], Answer]:
        for block in self._blocks:
            self._show(block, block.unsplit.rest())
        uses = self._uses()
        given = [tool_call(whole(_text(use.start.get("id"))), *_asked(use)) for use in uses]
        calls = with_own_ids(given, f"call_{uuid4().hex}")
        thoughts = _kept(self._blocks)
        answer = Answer(
            assistant_message(
                self._shown.text("content"), self._shown.text("reasoning"), calls=calls
            ),
            self._problems(calls, finish_reason),
            [*self._shown.origins(), *_origins(uses, calls)],
            {
                call["id"]: before["id"]
                for before, call in zip(given, calls, strict=True)
                if before["id"] and before["id"] != call["id"]
            },
            {"thinking_blocks": thoughts} if thoughts else {},
        )
        return self._shown.take(), answer

    def _read(self, content: object) -> None:
        """The content of a message, which some servers send as text."""
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        if isinstance(content, list):
            for block in content:
                self._begin(len(self._blocks), block)
        elif content is not None:
            self._report("The content is not a list of blocks.")

    def _begin(self, index: object, start: object) -> None:
        if not isinstance(start, dict) or not isinstance(index, int):
            self._report("A content block is not an object.")
            return
        kind = _text(start.get("type"))
        if kind not in _KNOWN:
            self._report(f"A content block of type {kind or 'unknown'} was not read.")
        block = self._open[index] = _Block(index, kind, start)
        self._blocks.append(block)
        if kind == "thinking":
            self._shown.reason_anew()
            block.signature = _text(start.get("signature"))
        if kind in _TEXTS:
            self._add(block, start.get(_TEXTS[kind][1]))
        if kind == "tool_use":
            self._write_call(block, "")

    def _write_call(self, block: _Block, text: str) -> None:
        name = given_name(whole(_text(block.start.get("name"))))
        self._calls.write(block.place, name, text)

    def _continue(self, index: object, delta: object) -> None:
        block = self._open.get(index) if isinstance(index, int) else None
        if block is None or not isinstance(delta, dict):
            self._report("A part of a content block belongs to none.")
        elif block.kind == "tool_use":
            block.written.append(_text(delta.get("partial_json")))
            self._write_call(block, block.written[-1])
        elif block.kind in _TEXTS:
            self._add(block, delta.get(_TEXTS[block.kind][1]))
            block.signature += _text(delta.get("signature"))

    def _add(self, block: _Block, text: object) -> None:
        if text and isinstance(text, str):
            if block.kind == "thinking":
                block.written.append(text)
            self._show(block, block.unsplit.add(text))

    def _show(self, block: _Block, text: str) -> None:
        if text:
            part, key = _TEXTS[block.kind]
            self._shown.add(part, [Piece(f"content[{block.place}].{key}", block.shown, text)])
            block.shown += len(text)

    def _uses(self) -> list[_Block]:
        uses = [block for block in self._blocks if block.kind == "tool_use"]
        if not all(_text(block.start.get("name")) for block in uses):
            self._report(NO_NAME)
        return uses

    def _problems(self, calls: list[ToolCall], finish_reason: str | None) -> list[str]:
        for place, call in enumerate(calls, 1):
            name, arguments = call["function"]["name"], call["function"]["arguments"]
            if not is_object(arguments):
                self._report(f"The arguments of tool call {place} ({name}) are not a JSON object.")
        if self._errors and finish_reason == "length":
            self._report("The answer was cut at the limit of its length.")
        return list(self._errors)

    def _report(self, sentence: str) -> None:
        self._errors[sentence] = None


def _asked(use: _Block) -> tuple[str, str]:
    """Name and arguments of a call. Its input comes with the block, or in pieces of JSON text."""
    name = given_name(whole(_text(use.start.get("name")) or UNNAMED))
    if written := whole("".join(use.written)):
        return name, written
    value = use.start.get("input")
    try:
        return name, prompt_json(value or {})
    except ValueError:
        return name, str(value)  # Python's NaN, say: not JSON, which is reported


def _kept(blocks: Iterable[_Block]) -> list[dict[str, Any]]:
    """Thinking as it can be sent back: not without the signature, which comes last."""
    return [
        block.start
        if block.kind == "redacted_thinking"
        else {
            "type": "thinking",
            "thinking": whole("".join(block.written)),
            "signature": block.signature,
        }
        for block in blocks
        if block.kind == "redacted_thinking" or (block.kind == "thinking" and block.signature)
    ]


def _origins(uses: Iterable[_Block], calls: Iterable[ToolCall]) -> list[Origin]:
    return [
        Origin(f"content[{use.place}]", "tool_call", call_id=call["id"])
        for use, call in zip(uses, calls, strict=True)
    ]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
