"""Events of chat completions (OpenAI and compatible servers), and the texts of their deltas. The
calls in a delta are merged by `tool_calls`."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from wire.chunks import Chunk, Item
from wire.json_values import object_of, object_or_none, text_or_none
from wire.repeated_events import MakeChunk, RepeatedEvents
from wire.sse import ServerEvent

DONE = "[DONE]"
# In order of preference: servers that send both send the same text twice. The first is DeepSeek's
# and Qwen's.
REASONING_KEYS = ("reasoning_content", "reasoning")


class CompletionEvents:
    """Reads `chat.completion.chunk` objects up to `[DONE]`; complete with a finish reason."""

    def __init__(self) -> None:
        self.done = False
        self.complete = False
        self._repeated = RepeatedEvents(_read_chunk, _split)

    def read(self, event: ServerEvent) -> Item | None:
        if repeated := self._repeated.chunk_of(event):
            return repeated
        if event.data == DONE:
            self.done = True
            self._repeated.forget()
        if self.done or not event.data:
            return None
        item = _read(event)
        if isinstance(item, Chunk):
            self._repeated.learn(event, item)
            if item.finish_reason is not None:
                self.complete = True
        return item

    def whole(self, value: dict[str, Any]) -> list[Chunk]:
        """A `chat.completion`: its message is read as one delta."""
        choice = _first_choice(value)
        message = object_or_none(choice.get("message"))
        if message is None:
            return []
        return [_chunk(message, choice, value)]


class ContentTexts(NamedTuple):
    """The texts of a content. `refusals`: those among its parts, as in OpenAI's API.
    `has_unread_parts`: some of its parts are neither text nor refusal."""

    text: str = ""
    refusals: Sequence[str] = ()
    has_unread_parts: bool = False


def reasoning_of(delta: Any) -> tuple[str, str]:
    """Key and text of the reasoning in a delta; both empty if it has none."""
    for key in REASONING_KEYS:
        if (text := delta.get(key)) and isinstance(text, str):
            return key, text
    return "", ""


def content_of(content: object) -> ContentTexts:
    """The texts of a content; those of a list of parts are joined without a separator."""
    if isinstance(content, str):
        return ContentTexts(content)
    parts = content if isinstance(content, list) else [content]
    known = [part for part in parts if isinstance(part, dict) and "text" in part]
    refusals = [refusal for part in parts if (refusal := _refusal_of(part)) is not None]
    text = "".join(part["text"] for part in known if isinstance(part["text"], str))
    return ContentTexts(text, refusals, len(known) + len(refusals) < len(parts))


def _refusal_of(part: object) -> str | None:
    refusal = part.get("refusal") if isinstance(part, dict) and "text" not in part else None
    return refusal if isinstance(refusal, str) else None


def _read(event: ServerEvent) -> Item:
    value = object_of(event)
    if not isinstance(value, dict):
        return value
    choice = _first_choice(value)
    return _chunk(object_or_none(choice.get("delta")) or {}, choice, value)


def _read_chunk(event: ServerEvent) -> Chunk | None:
    item = _read(event)
    return item if isinstance(item, Chunk) else None


def _split(chunk: Chunk) -> tuple[str, MakeChunk] | None:
    """See `SplitChunk`. The role of a message is none of its texts."""
    delta, rest = chunk.delta, chunk[1:]
    texts = [key for key, value in delta.items() if key != "role" and text_or_none(value)]
    if len(texts) != 1 or chunk.finish_reason is not None:
        return None
    (key,) = texts
    if len(delta) == 1:
        return delta[key], lambda text: Chunk({key: text}, *rest)
    return delta[key], lambda text: Chunk({**delta, key: text}, *rest)


def _chunk(delta: dict[str, Any], choice: dict[str, Any], value: dict[str, Any]) -> Chunk:
    return Chunk(
        delta,
        text_or_none(choice.get("finish_reason")),
        object_or_none(value.get("usage")),
        text_or_none(value.get("model")),
        text_or_none(value.get("id")),
    )


def _first_choice(value: dict[str, Any]) -> dict[str, Any]:
    """The choice with index 0: requests never ask for more than one."""
    choices = value.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and not choice.get("index"):
            return choice
    return {}
