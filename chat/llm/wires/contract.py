"""What a protocol is to us: a way to send a body, and a reader of the bytes that come back.

An SDK builds and sends, because it knows the address, the headers and the authentication. It does
not read: `EventReader` does, over what was recorded.
"""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import httpx2

from chat.llm.endpoint import Endpoint
from chat.llm.sse import ServerEvent


@dataclass(frozen=True, slots=True)
class Chunk:
    """What one event says; what it does not say is empty or None.

    `delta` is what the dialect's parser is fed. `finish_reason` is one of the chat completions':
    stop, length, tool_calls, content_filter. `usage` is all that is known of it by now. `refusal`
    is a sentence that came beside the delta.
    """

    delta: dict[str, Any]
    finish_reason: str | None = None
    usage: dict[str, Any] | None = None
    model: str | None = None
    id: str | None = None
    refusal: str | None = None


class SDKFailed(Exception):
    """What an SDK raised, which is the cause; the wires know their SDKs, nobody else does."""


class Events(Protocol):
    """Reads the events of one response. `done`: nothing that follows is to be read. `complete`:
    what came by now may be all of an answer."""

    done: bool
    complete: bool

    def read(self, event: ServerEvent) -> Chunk | None:
        """What an event says; None if it says nothing. Raises BrokenChunk, ProviderError."""
        ...

    def whole(self, value: dict[str, Any]) -> list[Chunk]:
        """The chunks of an answer that was not streamed; none if it is not one."""
        ...


class Wire(Protocol):
    def sending(
        self, endpoint: Endpoint, body: dict[str, Any]
    ) -> AbstractAsyncContextManager[httpx2.Response]:
        """Sends the body and a wish for a stream. Raises SDKFailed, or what the transport does."""
        ...

    def events(self) -> Events:
        """Reads one response."""
        ...
