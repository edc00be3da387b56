"""Chat completions, as OpenAI has them and everyone who is compatible."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import openai

from chat.llm.clients import openai_client
from chat.llm.endpoint import Endpoint
from chat.llm.sse import ServerEvent
from chat.llm.wires.contract import Chunk, Events, SDKFailed
from chat.llm.wires.reading import object_or_none, text_or_none, value_of

DONE = "[DONE]"


class ChatCompletions:
    @asynccontextmanager
    async def sending(
        self, endpoint: Endpoint, body: dict[str, Any]
    ) -> AsyncIterator[httpx2.Response]:
        create = openai_client(endpoint).chat.completions.with_streaming_response.create
        # Messages that are given as such are taken apart by the SDK, in search of keys to rename:
        # 130 ms of the loop's time for 500 of them. The extra body replaces them as it is.
        try:
            async with create(
                model=body["model"], messages=[], stream=True, extra_body=body
            ) as response:
                yield response.http_response
        except openai.OpenAIError as error:
            raise SDKFailed(str(error)) from error

    def events(self) -> Events:
        return CompletionEvents()


class CompletionEvents:
    """Reads `chat.completion.chunk` objects up to `[DONE]`; complete with a finish reason."""

    def __init__(self) -> None:
        self.done = False
        self.complete = False

    def read(self, event: ServerEvent) -> Chunk | None:
        self.done = self.done or event.data == DONE
        if self.done or not event.data:
            return None
        value = value_of(event)
        choice = _first_choice(value)
        delta = object_or_none(choice.get("delta")) or {}
        chunk = _chunk(delta, choice, value)
        if chunk.finish_reason is not None:
            self.complete = True
        return chunk

    def whole(self, value: dict[str, Any]) -> list[Chunk]:
        """A `chat.completion`: its message is a delta that says everything."""
        choice = _first_choice(value)
        message = object_or_none(choice.get("message"))
        if message is None:
            return []
        return [_chunk(message, choice, value)]


def _chunk(delta: dict[str, Any], choice: dict[str, Any], value: dict[str, Any]) -> Chunk:
    return Chunk(
        delta,
        text_or_none(choice.get("finish_reason")),
        object_or_none(value.get("usage")),
        text_or_none(value.get("model")),
        text_or_none(value.get("id")),
    )


def _first_choice(value: dict[str, Any]) -> dict[str, Any]:
    """The choice 0; we never ask for more than one."""
    choices = value.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and not choice.get("index"):
            return choice
    return {}
