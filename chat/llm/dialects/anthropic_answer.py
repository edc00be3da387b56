"""Reads an answer of Anthropic's Messages API: content blocks, whole or in events."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from chat.llm.dialects.contract import Answer, Origin, Part, TextDelta
from chat.llm.dialects.shown import Piece, Shown, Unsplit, whole
from chat.llm.history import with_own_ids
from chat.llm.json_text import is_object, prompt_json
from chat.llm.messages import ToolCall, assistant_message, tool_call

_PARTS: Mapping[str, tuple[Part, str]] = {
    "text": ("content", "text"),
    "thinking": ("reasoning", "thinking"),
}

_CUT = ("length", "max_tokens", "model_context_window_exceeded")


@dataclass(slots=True, eq=False)
class _Block:
    """A content block as far as it has arrived."""

    place: int
    start: dict[str, Any]
    length: int = 0
    texts: list[str] = field(default_factory=list)  # of thinking, or of a call's input
    signature: str = ""
    unsplit: Unsplit = field(default_factory=Unsplit)


class AnthropicStream:
    """Takes the events of a stream, or a whole message."""

    def __init__(self) -> None:
        self._shown = Shown()
        self._blocks: dict[int, _Block] = {}
        self._errors: dict[str, None] = {}  # an ordered set

    def feed(self, event: Mapping[str, Any]) -> list[TextDelta]:
        kind = event.get("type")
        if kind == "content_block_start":
            self._start(event.get("index"), event.get("content_block"))
        elif kind == "content_block_delta":
            self._delta(event.get("index"), event.get("delta"))
        elif isinstance(message := event.get("message"), dict):
            self._whole(message.get("content"))
        elif "content" in event:
            self._whole(event["content"])
        return self._shown.take()

    def finish(self, finish_reason: str | None = None) -> tuple[list[TextDelta], Answer]:
        for block in self._blocks.values():
            if block.start["type"] in _PARTS:
                self._show(block, block.unsplit.rest())
        calls, reissued, origins = self._calls()
        message = assistant_message(
            self._shown.text("content"), self._shown.text("reasoning"), "", calls
        )
        thoughts = self._thinking_blocks()
        if self._errors and finish_reason in _CUT:
            self._errors["The answer was cut at the limit of its length."] = None
        return self._shown.take(), Answer(
            message,
            list(self._errors),
            [*self._shown.origins(), *origins],
            reissued,
            {"thinking_blocks": thoughts} if thoughts else {},
        )

    def _whole(self, content: object) -> None:
        """The blocks of a whole message; some servers send text alone."""
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        if not isinstance(content, list | None):
            self._errors["The content is not a list of blocks."] = None
            return
        for place, block in enumerate(content or ()):
            self._start(place, block)

    def _start(self, index: object, start: object) -> None:
        if not isinstance(index, int) or not isinstance(start, dict):
            self._errors["A content block is not an object."] = None
            return
        kind = start.get("type")
        if kind not in (*_PARTS, "tool_use", "redacted_thinking"):
            self._errors[f"The answer has a block of type {kind}, which was not read."] = None
            return
        block = self._blocks[index] = _Block(index, start)
        block.signature = _string(start.get("signature"))
        if kind in _PARTS:
            if kind == "thinking":
                self._shown.reason_anew()
            self._add(block, _string(start.get(_PARTS[kind][1])))

    def _delta(self, index: object, delta: object) -> None:
        block = self._blocks.get(index) if isinstance(index, int) else None
        if block is None or not isinstance(delta, dict):
            return
        if block.start["type"] == "tool_use":
            block.texts.append(_string(delta.get("partial_json")))
        elif block.start["type"] in _PARTS:
            self._add(block, _string(delta.get(_PARTS[block.start["type"]][1])))
            block.signature += _string(delta.get("signature"))

    def _add(self, block: _Block, text: str) -> None:
        block.texts.append(text)
        self._show(block, block.unsplit.add(text))

    def _show(self, block: _Block, text: str) -> None:
        if not text:
            return
        part, key = _PARTS[block.start["type"]]
        path = f"content[{block.place}].{key}"
        self._shown.add(part, [Piece(path, block.length, text)])
        block.length += len(text)

    def _thinking_blocks(self) -> list[dict[str, Any]]:
        """As they are to be sent back: unsigned ones would be refused."""
        kept: list[dict[str, Any]] = []
        for block in self._blocks.values():
            if block.start["type"] == "redacted_thinking":
                kept.append(block.start)
            elif block.start["type"] == "thinking" and block.signature:
                kept.append(
                    {
                        "type": "thinking",
                        "thinking": "".join(block.texts),
                        "signature": block.signature,
                    }
                )
        return kept

    def _calls(self) -> tuple[list[ToolCall], dict[str, str], list[Origin]]:
        given: list[ToolCall] = []
        places: list[int] = []
        for block in self._blocks.values():
            if block.start["type"] != "tool_use":
                continue
            name = whole(_string(block.start.get("name")))
            if not name:
                self._errors["A tool call without a name was left out."] = None
                continue
            arguments = _arguments(block)
            if not is_object(arguments):
                place = len(given) + 1
                self._errors[
                    f"The arguments of tool call {place} ({name}) are not a JSON object."
                ] = None
            given.append(tool_call(whole(_string(block.start.get("id"))), name, arguments))
            places.append(block.place)
        calls = with_own_ids(given, f"call_{uuid4().hex}")
        reissued = {
            call["id"]: before["id"]
            for before, call in zip(given, calls, strict=True)
            if before["id"] and before["id"] != call["id"]
        }
        origins = [
            Origin(f"content[{place}]", "tool_call", call_id=call["id"])
            for place, call in zip(places, calls, strict=True)
        ]
        return calls, reissued, origins


def _arguments(block: _Block) -> str:
    written = whole("".join(block.texts))
    if written:
        return written
    value = block.start.get("input")
    try:
        return prompt_json(value or {})
    except ValueError:
        return str(value)


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
