"""Anthropic's Messages API: typed events, and usage that arrives in two parts."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any

import anthropic
import httpx2

from chat.llm.clients import NO_KEY, http_client, is_anthropic, timeout
from chat.llm.endpoint import Endpoint
from chat.llm.parameters import OLDER_VERSION, needs_older_version
from chat.llm.sse import ServerEvent
from chat.llm.wires.contract import Chunk, Events, SDKFailed
from chat.llm.wires.reading import object_or_none, text_or_none, value_of

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


class MessagesAPI:
    @asynccontextmanager
    async def sending(
        self, endpoint: Endpoint, body: dict[str, Any]
    ) -> AsyncIterator[httpx2.Response]:
        rest = dict(body)
        create = anthropic_client(endpoint).messages.with_streaming_response.create
        try:
            async with create(
                model=rest.pop("model"),
                max_tokens=rest.pop("max_tokens"),
                messages=rest.pop("messages"),
                stream=True,
                extra_headers=_version(endpoint, body),
                extra_body=rest,
            ) as response:
                yield response.http_response
        except anthropic.AnthropicError as error:
            raise SDKFailed(str(error)) from error

    def events(self) -> Events:
        return MessageEvents()


def anthropic_client(endpoint: Endpoint) -> anthropic.AsyncAnthropic:
    """As `chat.llm.clients.openai_client`. The SDK adds `/v1`: a base URL may have it or not.

    Anthropic takes the key as a bearer's token since 2026; who is compatible may still look for it
    where it was before.
    """
    return _anthropic_client(endpoint, asyncio.get_running_loop())


@lru_cache(maxsize=64)
def _anthropic_client(
    endpoint: Endpoint, loop: asyncio.AbstractEventLoop
) -> anthropic.AsyncAnthropic:
    key = endpoint.api_key or NO_KEY
    return anthropic.AsyncAnthropic(
        base_url=endpoint.base_url.rstrip("/").removesuffix("/v1"),
        api_key=key,
        max_retries=0,
        timeout=timeout(endpoint),
        http_client=http_client(endpoint),
        default_headers=None if is_anthropic(endpoint) else {"X-Api-Key": key},
        open_telemetry=False,
    )


def _version(endpoint: Endpoint, body: dict[str, Any]) -> dict[str, str]:
    """The older version where it is needed, and for servers that are only compatible."""
    if is_anthropic(endpoint) and not needs_older_version(body):
        return {}
    return {"anthropic-version": OLDER_VERSION}


class MessageEvents:
    """Reads events up to `message_stop`, without which nothing is complete.

    The parser gets them as they are; only an `index` that a server left out is put in.
    """

    def __init__(self) -> None:
        self.done = False
        self.complete = False
        self._usage: dict[str, Any] = {}
        self._index = -1

    def read(self, event: ServerEvent) -> Chunk | None:
        if not event.data:
            return None
        value = value_of(event)
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
        """A message that was not streamed; the parser takes its content as it is."""
        if not isinstance(value.get("content"), list):
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
