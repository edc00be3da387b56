"""Anthropic's Messages API: typed events, and usage that arrives in two parts.

The content blocks of an answer are joined by `content_blocks`.
"""

from typing import Any

from wire.chunks import Chunk, Item
from wire.json_values import object_of, object_or_none, text_or_none
from wire.sse import ServerEvent

# Reasons to stop, as chat completions name them. A stop sequence is an end like any other, and
# `pause_turn` only comes of tools that the provider runs itself, which we never offer.
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
    """Reads events up to `message_stop`, without which nothing is complete.

    The parser gets them as they are; only an `index` that a server left out is put in.
    """

    def __init__(self) -> None:
        self.done = False
        self.complete = False
        self._usage: dict[str, Any] = {}
        self._index = -1

    def read(self, event: ServerEvent) -> Item | None:
        if not event.data:
            return None
        value = object_of(event)
        if not isinstance(value, dict):
            return value
        match value.get("type"):
            case "content_block_delta":
                if "index" not in value:
                    value["index"] = self._index
                return Chunk(value)
            case "content_block_start":
                self._index += 1
                value.setdefault("index", self._index)
                return Chunk(value)
            case "message_start":
                return self._started(value)
            case "message_delta":
                return self._stopping(value)
            case "message_stop":
                self.done = self.complete = True
        return None

    def whole(self, value: dict[str, Any]) -> list[Chunk]:
        """A message that was not streamed; the parser takes its content as it is, which some
        servers send as text."""
        content = value.get("content")
        is_text = isinstance(content, str) and value.get("type") == "message"
        if not (is_text or isinstance(content, list)):
            return []
        reason, refusal = _stopped(value)
        usage = self._merged(value)
        return [Chunk(value, reason, usage, *_names(value), refusal)]

    def _started(self, value: dict[str, Any]) -> Chunk:
        message = object_or_none(value.get("message")) or {}
        return Chunk(value, None, self._merged(message), *_names(message))

    def _stopping(self, value: dict[str, Any]) -> Chunk:
        reason, refusal = _stopped(object_or_none(value.get("delta")) or {})
        return Chunk(value, reason, self._merged(value), refusal=refusal)

    def _merged(self, value: dict[str, Any]) -> dict[str, Any] | None:
        """The usage with what this event says of it: its counts are totals, not increments."""
        fresh = object_or_none(value.get("usage")) or {}
        self._usage |= {key: count for key, count in fresh.items() if count is not None}
        return usage_of(self._usage) if self._usage else None


def _names(message: dict[str, Any]) -> tuple[str | None, str | None]:
    """The model and the id of a message."""
    return text_or_none(message.get("model")), text_or_none(message.get("id"))


def usage_of(raw: dict[str, Any]) -> dict[str, Any]:
    """The usage under the names of chat completions, and as it came under `raw`.

    The tokens of the prompt are the sum of those that were read from the cache, written to it, and
    neither; Anthropic's `input_tokens` are only the last.
    """
    read = _count(raw, "cache_read_input_tokens")
    written = _count(raw, "cache_creation_input_tokens")
    prompt = _count(raw, "input_tokens") + read + written
    spoken = _count(raw, "output_tokens")
    return {
        "prompt_tokens": prompt,
        "completion_tokens": spoken,
        "total_tokens": prompt + spoken,
        "prompt_tokens_details": {"cached_tokens": read, "cache_creation_tokens": written},
        "raw": dict(raw),
    }


def _count(raw: dict[str, Any], name: str) -> int:
    count = raw.get(name)
    return count if isinstance(count, int) else 0


def _stopped(value: dict[str, Any]) -> tuple[str | None, str | None]:
    """The finish reason, and the sentence of a refusal."""
    reason = text_or_none(value.get("stop_reason"))
    if reason is None:
        return None, None
    if reason != "refusal":
        return FINISH_REASONS.get(reason, reason), None
    said = (object_or_none(value.get("stop_details")) or {}).get("explanation")
    return FINISH_REASONS[reason], text_or_none(said) or REFUSED
