"""Content blocks of an answer of Anthropic's Messages API, joined from events or read as a
whole."""

from collections.abc import Mapping
from enum import Enum
from typing import Any, NamedTuple

from languages.stored import stored
from wire.json_values import text_or_empty
from wire.surrogates import PairJoiner

# The member of a delta that holds the text, by the type of the block.
_TEXT_KEYS = {
    "text": "text",
    "thinking": "thinking",
    "tool_use": "partial_json",
    "server_tool_use": "partial_json",
}
# Types whose text may also be in the block itself.
_TEXT_BLOCKS = frozenset({"text", "thinking"})


class ContentBlock:
    """A block up to the latest delta. `place`: its index in the content. `start`: the value that it
    began with. `text`: a text, thinking, or the input of a call as JSON."""

    __slots__ = ("_joiner", "_texts", "length", "place", "signature", "start", "text_key", "type")

    def __init__(self, place: int, start: dict[str, Any]) -> None:
        self.place = place
        self.start = start
        self.type = text_or_empty(start.get("type"))
        self.text_key = _TEXT_KEYS.get(self.type, "")  # of its deltas
        self.signature = ""
        if self.type == "thinking":
            self.signature = text_or_empty(start.get("signature"))
        self.length = 0  # characters of the text
        self._texts: list[str] = []
        self._joiner = PairJoiner()

    @property
    def text(self) -> str:
        return "".join(self._texts)

    def add(self, text: str) -> "BlockText":
        """Appends text. Half of a surrogate pair is held back."""
        text = self._joiner.add(text)
        at = self.length
        self.length = at + len(text)
        self._texts.append(text)
        return BlockText(self, at, text)

    def finish(self) -> "BlockText":
        """Appends the half of a pair that is held back; to be called at the end."""
        return self.add(self._joiner.rest())


class BlockStart(NamedTuple):
    block: ContentBlock


class BlockText(NamedTuple):
    """Text appended to a block, at character `at` of its text."""

    block: ContentBlock
    at: int
    text: str


class BlockProblem(Enum):
    NOT_A_LIST = stored("the content is not a list of blocks")
    NOT_AN_OBJECT = stored("a block is not an object, or has no index")
    NO_BLOCK = stored("a part belongs to no block")


BlockEvent = BlockStart | BlockText | BlockProblem


class BlockReader:
    """Joins the blocks of one answer, in the order in which they begin."""

    def __init__(self) -> None:
        self.blocks: list[ContentBlock] = []
        self._open: dict[int, ContentBlock] = {}  # by index

    def feed(self, event: Mapping[str, Any]) -> list[BlockEvent]:
        """Takes an event of a stream, or a whole message."""
        kind = event.get("type")
        if kind == "content_block_delta":
            return self._continue(event.get("index"), event.get("delta"))
        if kind == "content_block_start":
            return self._begin(event.get("index"), event.get("content_block"))
        if kind == "message_start" and isinstance(message := event.get("message"), dict):
            return self._read(message.get("content"))
        return self._read(event.get("content"))

    def finish(self) -> list[BlockText]:
        """The texts that are held back; to be called at the end."""
        return [rest for block in self.blocks if (rest := block.finish()).text]

    def _read(self, content: object) -> list[BlockEvent]:
        """The content of a message, which some servers send as text."""
        if content is None:
            return []
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        if not isinstance(content, list):
            return [BlockProblem.NOT_A_LIST]
        return [one for block in content for one in self._begin(len(self.blocks), block)]

    def _begin(self, index: object, start: object) -> list[BlockEvent]:
        if not isinstance(start, dict) or not isinstance(index, int):
            return [BlockProblem.NOT_AN_OBJECT]
        block = self._open[index] = ContentBlock(index, start)
        self.blocks.append(block)
        if block.type in _TEXT_BLOCKS and (text := text_or_empty(start.get(block.type))):
            return [BlockStart(block), block.add(text)]
        return [BlockStart(block)]

    def _continue(self, index: object, delta: object) -> list[BlockEvent]:
        block = self._open.get(index) if isinstance(index, int) else None
        if block is None or not isinstance(delta, dict):
            return [BlockProblem.NO_BLOCK]
        if (text := delta.get(block.text_key)) and isinstance(text, str):
            return [block.add(text)]
        if block.type == "thinking":
            block.signature += text_or_empty(delta.get("signature"))
        return []
