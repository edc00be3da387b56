"""The parts of a response, before a dialect parses calls out of its text.

A part is a value of the wire message: a text, a call, a content block. Parts are joined by the
rules of the engine, so that a path means the same to both.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from wire.chat_completions import content_of, reasoning_of
from wire.content_blocks import BlockEvent, BlockReader, BlockStart, BlockText, ContentBlock
from wire.json_values import text_or_empty
from wire.surrogates import PairJoiner
from wire.tool_calls import CallMerger, CallText, NativeCall, WriteJSON

PartKind = Literal["content", "reasoning", "refusal", "call", "other"]
_BLOCK_KINDS: dict[str, PartKind] = {
    "text": "content",
    "thinking": "reasoning",
    "redacted_thinking": "reasoning",
    "tool_use": "call",
    "server_tool_use": "call",
}
_REDACTED = "[redacted by the provider]"


@dataclass(frozen=True, slots=True)
class ResponsePart:
    """A text, or a call with its arguments as `text`.

    `path`: its place in the wire message: `content`, `tool_calls[0]`, `content[1]` (a block).
    """

    path: str
    kind: PartKind
    text: str
    name: str = ""
    id: str = ""


class PartText(NamedTuple):
    """Text appended to the part with this key; with `restarts` it replaces the part's text."""

    key: object
    text: str
    restarts: bool = False


class PartsReader(Protocol):
    """Joins the deltas of one response."""

    def take(self, delta: dict[str, Any]) -> list[PartText]:
        """The texts that a delta adds."""
        ...

    def finish(self) -> list[PartText]:
        """The texts that are held back; to be called once at the end, before `parts`."""
        ...

    def parts(self) -> dict[object, ResponsePart]:
        """The parts by key, in the order in which they are shown."""
        ...


class CompletionParts:
    """Parts of chat completions: reasoning, texts and a `function_call` as they arrive, then
    calls."""

    def __init__(self, write_json: WriteJSON) -> None:
        self._texts: dict[str, _PartBuilder] = {}
        self._function = CallMerger(write_json)
        self._calls = CallMerger(write_json)

    def take(self, delta: dict[str, Any]) -> list[PartText]:
        added: list[PartText] = []
        key, reasoning = reasoning_of(delta)
        if key:
            added.append(self._add(key, "reasoning", reasoning))
        if content := delta.get("content"):
            added += self._content(content)
        if refusal := text_or_empty(delta.get("refusal")):
            added.append(self._add("refusal", "refusal", refusal))
        if function := delta.get("function_call"):
            self._text("function_call", "call")  # keeps its place among the texts
            added += _keyed(self._function.feed([{"index": 0, "function": function}]))
        if "tool_calls" in delta:
            added += _keyed(self._calls.feed(delta["tool_calls"]))
        return added

    def finish(self) -> list[PartText]:
        rest = [PartText(key, text.rest()) for key, text in self._texts.items()]
        rest += [*_keyed(self._function.finish()), *_keyed(self._calls.finish())]
        return [one for one in rest if one.text]

    def parts(self) -> dict[object, ResponsePart]:
        parts: dict[object, ResponsePart] = {}
        for path, text in self._texts.items():
            if path == "function_call":
                parts |= {call: _call_part(path, call) for call in self._function.calls}
            else:
                parts[path] = ResponsePart(path, text.kind, "".join(text.pieces))
        for place, call in enumerate(self._calls.calls):
            parts[call] = _call_part(f"tool_calls[{place}]", call)
        return parts

    def _content(self, content: object) -> list[PartText]:
        text, refusals, _ = content_of(content)
        added = [self._add("content", "content", text)] if text else []
        return added + [self._add("refusal", "refusal", refusal) for refusal in refusals]

    def _add(self, path: str, kind: PartKind, text: str) -> PartText:
        return PartText(path, self._text(path, kind).add(text))

    def _text(self, path: str, kind: PartKind) -> "_PartBuilder":
        text = self._texts.get(path)
        if text is None:
            text = self._texts[path] = _PartBuilder(kind)
        return text


class BlockParts:
    """Parts of Anthropic's Messages API: its content blocks."""

    def __init__(self, write_json: WriteJSON) -> None:
        self._write_json = write_json
        self._reader = BlockReader()
        # Texts that blocks begin with; that of a call is replaced by its first delta.
        self._starts: dict[ContentBlock, str] = {}

    def take(self, delta: dict[str, Any]) -> list[PartText]:
        return list(self._added(self._reader.feed(delta)))

    def finish(self) -> list[PartText]:
        return list(self._added(self._reader.finish()))

    def parts(self) -> dict[object, ResponsePart]:
        return {block: self._part(block) for block in self._reader.blocks}

    def _added(self, events: Iterable[BlockEvent]) -> Iterable[PartText]:
        for event in events:
            if isinstance(event, BlockStart):
                self._starts[event.block] = start = self._start(event.block)
                yield PartText(event.block, start)
            elif isinstance(event, BlockText) and event.text:
                is_first = event.at == 0
                yield PartText(event.block, event.text, is_first and self._is_void(event.block))

    def _is_void(self, block: ContentBlock) -> bool:
        return bool(self._starts.pop(block, ""))

    def _start(self, block: ContentBlock) -> str:
        match _BLOCK_KINDS.get(block.type):
            case "call":
                return self._write_json(block.start["input"]) if "input" in block.start else ""
            case None:
                return self._write_json(block.start)
        return _REDACTED if block.type == "redacted_thinking" else ""

    def _part(self, block: ContentBlock) -> ResponsePart:
        return ResponsePart(
            f"content[{block.place}]",
            _BLOCK_KINDS.get(block.type, "other"),
            block.text or self._starts[block],
            text_or_empty(block.start.get("name")) or block.type,
            text_or_empty(block.start.get("id")),
        )


class _PartBuilder:
    """A text that is still being joined."""

    __slots__ = ("_joiner", "kind", "pieces")

    def __init__(self, kind: PartKind) -> None:
        self.kind = kind
        self.pieces: list[str] = []
        self._joiner = PairJoiner()

    def add(self, text: str) -> str:
        self.pieces.append(self._joiner.add(text))
        return self.pieces[-1]

    def rest(self) -> str:
        self.pieces.append(self._joiner.rest())
        return self.pieces[-1]


def _keyed(texts: Iterable[CallText]) -> list[PartText]:
    return [PartText(call, text) for call, text in texts]


def _call_part(path: str, call: NativeCall) -> ResponsePart:
    return ResponsePart(path, "call", call.arguments, call.name, call.call_id)
