"""Events of Anthropic's Messages API, with finish reasons and usage as chat completions name them.

The content blocks of an answer are joined by `content_blocks`.
"""

from typing import Any

from wire.chunks import Chunk, Item
from wire.json_values import object_of, object_or_none, text_or_none
from wire.repeated_events import MakeChunk, RepeatedEvents
from wire.sse import ServerEvent

# Finish reasons of chat completions by `stop_reason`. `pause_turn` occurs only with tools that the
# provider runs itself, which requests never offer.
FINISH_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}
REFUSED = "The model declined to answer this."


class MessageEvents:
    """Reads events up to `message_stop`; an answer without it is incomplete.

    The events are deltas as they are, with an `index` added where the server omitted it.
    """

    def __init__(self) -> None:
        self.done = False
        self.complete = False
        self._usage: dict[str, Any] = {}
        self._index = -1
        self._repeated = RepeatedEvents(self._read_delta, _split)

    def read(self, event: ServerEvent) -> Item | None:
        if repeated := self._repeated.chunk_of(event):
            return repeated
        if not event.data:
            return None
        value = object_of(event)
        if not isinstance(value, dict):
            return value
        match value.get("type"):
            case "content_block_delta":
                chunk = self._delta(value)
                self._repeated.learn(event, chunk)
                return chunk
            case "content_block_start":
                self._repeated.forget()  # an event without an index belongs to the new block
                self._index += 1
                value.setdefault("index", self._index)
                return Chunk(value)
            case "message_start":
                return self._message_start(value)
            case "message_delta":
                return self._message_delta(value)
            case "message_stop":
                self.done = self.complete = True
                self._repeated.forget()
        return None

    def whole(self, value: dict[str, Any]) -> list[Chunk]:
        """A message that was not streamed. Some servers send its content as text."""
        content = value.get("content")
        is_text = isinstance(content, str) and value.get("type") == "message"
        if not (is_text or isinstance(content, list)):
            return []
        reason, refusal = _stop_reason(value)
        usage = self._merged(value)
        return [Chunk(value, reason, usage, *_names(value), refusal)]

    def _delta(self, value: dict[str, Any]) -> Chunk:
        if "index" not in value:
            value["index"] = self._index
        return Chunk(value)

    def _read_delta(self, event: ServerEvent) -> Chunk | None:
        value = object_of(event)
        if not isinstance(value, dict) or value.get("type") != "content_block_delta":
            return None
        return self._delta(value)

    def _message_start(self, value: dict[str, Any]) -> Chunk:
        message = object_or_none(value.get("message")) or {}
        return Chunk(value, None, self._merged(message), *_names(message))

    def _message_delta(self, value: dict[str, Any]) -> Chunk:
        reason, refusal = _stop_reason(object_or_none(value.get("delta")) or {})
        return Chunk(value, reason, self._merged(value), refusal=refusal)

    def _merged(self, value: dict[str, Any]) -> dict[str, Any] | None:
        """The usage up to this event, whose counts are totals, not increments."""
        fresh = object_or_none(value.get("usage")) or {}
        self._usage |= {key: count for key, count in fresh.items() if count is not None}
        return usage_of(self._usage) if self._usage else None


def _split(chunk: Chunk) -> tuple[str, MakeChunk] | None:
    """See `SplitChunk`. The type of a delta is none of its texts."""
    value = chunk.delta
    delta = object_or_none(value.get("delta")) or {}
    texts = [key for key, text in delta.items() if key != "type" and text_or_none(text)]
    if len(texts) != 1:
        return None
    (key,) = texts
    return delta[key], lambda text: Chunk({**value, "delta": {**delta, key: text}})


def _names(message: dict[str, Any]) -> tuple[str | None, str | None]:
    """The model and the id of a message."""
    return text_or_none(message.get("model")), text_or_none(message.get("id"))


def usage_of(raw: dict[str, Any]) -> dict[str, Any]:
    """The usage with the names of chat completions, and the original under `raw`.

    `prompt_tokens` is the sum of tokens read from the cache, written to it, and uncached;
    Anthropic's `input_tokens` counts only the uncached ones.
    """
    cache_read = _count(raw, "cache_read_input_tokens")
    cache_written = _count(raw, "cache_creation_input_tokens")
    prompt = _count(raw, "input_tokens") + cache_read + cache_written
    completion = _count(raw, "output_tokens")
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {
            "cached_tokens": cache_read,
            "cache_creation_tokens": cache_written,
        },
        "raw": dict(raw),
    }


def _count(raw: dict[str, Any], name: str) -> int:
    count = raw.get(name)
    return count if isinstance(count, int) else 0


def _stop_reason(value: dict[str, Any]) -> tuple[str | None, str | None]:
    """The finish reason, and the text of a refusal."""
    reason = text_or_none(value.get("stop_reason"))
    if reason is None:
        return None, None
    if reason != "refusal":
        return FINISH_REASONS.get(reason, reason), None
    explanation = (object_or_none(value.get("stop_details")) or {}).get("explanation")
    return FINISH_REASONS[reason], text_or_none(explanation) or REFUSED
