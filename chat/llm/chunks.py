"""Chat-completion chunks from the bytes of a streamed response.

Whatever is no complete answer is a failure, though HTTP called it a success.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from json import loads
from typing import Any

from chat.llm.errors import (
    EVIDENCE_LIMIT,
    BrokenChunk,
    CutStream,
    EmptyBody,
    NoChunks,
    NotAStream,
    StreamFailure,
)
from chat.llm.failures import provider_error
from chat.llm.sse import EventStream, ServerEvent

DONE = "[DONE]"


@dataclass(frozen=True, slots=True)
class Chunk:
    """What one event says; what it does not say is empty or None."""

    delta: dict[str, Any]
    finish_reason: str | None = None
    usage: dict[str, Any] | None = None
    model: str | None = None
    id: str | None = None


class ChunkReader:
    """Reads one response. `done` is set once the stream has declared its end."""

    def __init__(self) -> None:
        self.done = False
        self._events = EventStream()
        self._head = b""
        self._last = ""
        self._has_chunks = False
        self._has_finish_reason = False

    def feed(self, piece: bytes) -> Iterator[Chunk]:
        """The chunks that end within this piece; to be iterated to the end.

        Raises BrokenChunk, InvalidUtf8, ProviderError, after the chunks that came before.
        """
        if len(self._head) < EVIDENCE_LIMIT:
            self._head += piece[: EVIDENCE_LIMIT - len(self._head)]
        for event in self._events.feed(piece):
            if chunk := self._read(event):
                yield chunk

    def finish(self) -> Iterator[Chunk]:
        """At the end of the body: the chunk whose event only misses its empty line.

        Raises EmptyBody, NotAStream, NoChunks, CutStream, or as `feed`.
        """
        event = self._events.rest()
        if event and (chunk := self._read(event)):
            yield chunk
        if not self._head:
            raise EmptyBody()
        if not self._has_chunks:
            raise _nothing_read(self._head)
        if not self._has_finish_reason:
            raise CutStream(evidence=self._last.encode())

    def _read(self, event: ServerEvent) -> Chunk | None:
        self.done = self.done or event.data == DONE
        if self.done or not event.data:
            return None
        self._last = event.data
        chunk = _chunk(event)
        self._has_chunks = True
        self._has_finish_reason = self._has_finish_reason or chunk.finish_reason is not None
        return chunk


def _chunk(event: ServerEvent) -> Chunk:
    try:
        value = loads(event.data)
    except (ValueError, RecursionError):
        value = None
    if event.type == "error" or (isinstance(value, dict) and _is_error(value)):
        raise provider_error(value or event.data, event.data.encode())
    if not isinstance(value, dict):
        raise BrokenChunk(evidence=event.data.encode())
    choice = _first_choice(value)
    return Chunk(
        _object(choice.get("delta")) or {},
        choice.get("finish_reason") or None,
        _object(value.get("usage")),
        value.get("model"),
        value.get("id"),
    )


def _is_error(value: dict[str, Any]) -> bool:
    """OpenAI's `{"error": …}`, or vLLM's `{"object": "error", "message": …}`."""
    return bool(value.get("error")) or value.get("object") == "error"


def _first_choice(value: dict[str, Any]) -> dict[str, Any]:
    """The choice 0; we never ask for more than one."""
    choices = value.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and not choice.get("index"):
            return choice
    return {}


def _object(value: object) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


def _nothing_read(head: bytes) -> StreamFailure:
    """Why there was no chunk in a body that begins like this."""
    if re.match(rb"\s*(data|event|id|retry)?:", head):
        return NoChunks(evidence=head)
    try:
        value = loads(head)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict) and _is_error(value):
        return provider_error(value, head)
    return NotAStream(evidence=head)
