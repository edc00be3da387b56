"""From the bytes of a response to chunks, whatever the protocol.

Whatever is no complete answer is a failure, though HTTP called it a success. An answer that was not
streamed, though it was asked for, is an answer all the same.
"""

import re
from collections.abc import Iterator
from json import loads
from typing import Any

from chat.llm.errors import BrokenChunk, CutStream, EmptyBody, NoChunks, NotAStream, StreamFailure
from chat.llm.failures import provider_error
from chat.llm.sse import EventStream, ServerEvent
from chat.llm.wires.contract import Chunk, Events
from limits.models import MAX_FAILURE_EVIDENCE_BYTES


class EventReader:
    """Reads one response. `done` is set once the stream has declared its end."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._stream = EventStream()
        self._head = b""
        self._last = ""
        self._has_chunks = False
        self._document: list[bytes] | None = None

    @property
    def done(self) -> bool:
        return self._events.done

    def feed(self, piece: bytes) -> Iterator[Chunk]:
        """The chunks that end within this piece; to be iterated to the end.

        Raises BrokenChunk, InvalidUtf8, ProviderError, after the chunks that came before.
        """
        if len(self._head) < MAX_FAILURE_EVIDENCE_BYTES:
            self._begin(piece)
        if self._document is not None:
            self._document.append(piece)
            return
        for event in self._stream.feed(piece):
            if chunk := self._read(event):
                yield chunk
            if self.done:
                return  # what follows in the same piece is no more read than what comes later

    def finish(self) -> Iterator[Chunk]:
        """At the end of the body: the chunk whose event only misses its empty line, or the answer
        that was not streamed.

        Raises EmptyBody, NotAStream, NoChunks, CutStream, or as `feed`.
        """
        if self._document is not None:
            yield from self._whole(b"".join(self._document))
            return
        event = self._stream.rest()
        if event and (chunk := self._read(event)):
            yield chunk
        if not self._head:
            raise EmptyBody()
        if not self._has_chunks:
            raise _nothing_read(self._head)
        if not self._events.complete:
            raise CutStream(evidence=self._last.encode())

    def _begin(self, piece: bytes) -> None:
        """No line of an event stream begins with a brace: then the body is one JSON document."""
        if self._document is None and not self._head.strip() and piece.lstrip().startswith(b"{"):
            self._document = []
        self._head += piece[: MAX_FAILURE_EVIDENCE_BYTES - len(self._head)]

    def _read(self, event: ServerEvent) -> Chunk | None:
        chunk = self._events.read(event)
        if chunk is not None:
            self._has_chunks = True
            self._last = event.data
        return chunk

    def _whole(self, body: bytes) -> list[Chunk]:
        value = _parsed(body)
        if isinstance(value, dict) and is_error(value):
            raise provider_error(value, body)
        chunks = self._events.whole(value) if isinstance(value, dict) else []
        if not chunks:
            raise CutStream(evidence=body) if value is None else NotAStream(evidence=body)
        return chunks


def value_of(event: ServerEvent) -> dict[str, Any]:
    """The object that an event holds. Raises BrokenChunk, or ProviderError if it is an error."""
    value = _parsed(event.data)
    if isinstance(value, dict) and event.type != "error" and not is_error(value):
        return value
    if isinstance(value, dict) or event.type == "error":
        raise provider_error(value or event.data, event.data.encode())
    raise BrokenChunk(evidence=event.data.encode())


def is_error(value: dict[str, Any]) -> bool:
    """OpenAI's and Anthropic's `{"error": …}`, or vLLM's `{"object": "error", "message": …}`."""
    return bool(value.get("error")) or value.get("object") == "error"


def object_or_none(value: object) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


def text_or_none(value: object) -> str | None:
    """The text; None if it is empty or something else."""
    return value if isinstance(value, str) and value else None


def _parsed(text: str | bytes) -> Any:
    """The JSON value; None if it is none."""
    try:
        return loads(text)
    except (ValueError, RecursionError):
        return None


def _nothing_read(head: bytes) -> StreamFailure:
    """Why there was no chunk in a body that begins like this."""
    if re.match(rb"\s*(data|event|id|retry)?:", head):
        return NoChunks(evidence=head)
    return NotAStream(evidence=head)
