"""Anthropic Messages, streamed or whole: content blocks of text, thinking and tool use."""

from typing import Any

from db.fields import dump_json
from tracing.replies.parts import Kind, Said, Saying, string

_KINDS: dict[str, Kind] = {
    "text": "content",
    "thinking": "reasoning",
    "redacted_thinking": "reasoning",
    "tool_use": "call",
    "server_tool_use": "call",
}
# Where the text of a delta is, by the kind of its block.
_TEXTS = {"content": "text", "reasoning": "thinking", "call": "partial_json"}
_REDACTED = "[redacted by the provider]"


class BlockReader:
    """Joins the blocks of a message by their index."""

    def __init__(self) -> None:
        self._blocks: dict[int, Saying] = {}
        # Calls with the input of their start, which is void as soon as pieces of it come.
        self._inputs: set[int] = set()

    @property
    def sayings(self) -> list[Saying]:
        return [saying for _, saying in sorted(self._blocks.items())]

    @property
    def said(self) -> list[Said]:
        return [saying.said() for saying in self.sayings]

    def take(self, event: dict[str, Any]) -> None:
        index, message = event.get("index"), event.get("message", event)
        if isinstance(index, int) and event.get("type") == "content_block_start":
            self._begin(index, event.get("content_block"))
        elif isinstance(index, int) and event.get("type") == "content_block_delta":
            self._add(index, event.get("delta"))
        elif isinstance(message, dict):
            self._whole(message.get("content"))

    def _whole(self, content: Any) -> None:
        """The blocks of a whole message; some servers send text alone."""
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        for place, block in enumerate(content if isinstance(content, list) else ()):
            self._begin(place, block)

    def _begin(self, index: int, block: Any) -> None:
        if not isinstance(block, dict):
            return
        type_ = string(block.get("type"))
        kind = _KINDS.get(type_, "other")
        saying = Saying(
            f"content[{index}]", kind, string(block.get("name")) or type_, string(block.get("id"))
        )
        saying.pieces.append(_beginning(block, kind))
        self._blocks[index] = saying
        if kind == "call":
            self._inputs.add(index)

    def _add(self, index: int, delta: Any) -> None:
        if isinstance(delta, dict) and index in self._blocks:
            saying = self._blocks[index]
            text = string(delta.get(_TEXTS.get(saying.kind, "")))
            if text and index in self._inputs:
                self._inputs.discard(index)
                saying.restart()
            saying.pieces.append(text)


def _beginning(block: dict[str, Any], kind: Kind) -> str:
    """What a block has from its start: all that it says if the message is whole."""
    if kind == "call":
        return dump_json(block["input"]) if "input" in block else ""
    if kind == "other":
        return dump_json(block)
    if block.get("type") == "redacted_thinking":
        return _REDACTED
    return string(block.get("text")) or string(block.get("thinking"))
