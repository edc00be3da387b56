"""The parts of a recorded body, and the event that each piece of them came in.

For display: the protocol is detected from the body, and reader ends at the first problem.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from limits.models import MAX_FAILURE_EVIDENCE_BYTES
from wire.anthropic_messages import MessageEvents
from wire.chat_completions import CompletionEvents
from wire.chunks import Chunk, Item, ProtocolEvents
from wire.json_values import json_or_none
from wire.response import ResponseReader, is_document
from wire.response_parts import BlockParts, CompletionParts, PartsReader, PartText, ResponsePart
from wire.sse import InvalidEvent, ServerEvent, StreamEvent, events_of, whole_events
from wire.tool_calls import WriteJSON


class ResponsePiece(NamedTuple):
    """Text that one event appended to a part. `part`: index of the part. `restarts`: the text
    replaces what the part had before. `end`: bytes of the body up to the end of the event."""

    end: int
    part: int
    text: str
    restarts: bool = False


@dataclass(frozen=True, slots=True)
class RecordedResponse:
    """`events`: number of events with a JSON object. The text of a part is the text of its pieces
    from the last one that restarts it."""

    events: int = 0
    parts: list[ResponsePart] = field(default_factory=list)
    pieces: list[ResponsePiece] = field(default_factory=list)


def body_events(body: bytes) -> list[StreamEvent]:
    """The server-sent events of a body; one event for a JSON document, none for anything else."""
    if not is_document(body):
        return events_of(body)
    try:
        return [ServerEvent(body.decode(), "", 0, len(body))]
    except UnicodeDecodeError as error:
        return [InvalidEvent(body, "", 0, len(body), error.start, body)]


def data_of(event: StreamEvent) -> bytes:
    """The data of an event, as bytes of the body."""
    return event.data if isinstance(event, InvalidEvent) else event.data.encode()


def read_response(body: bytes, write_json: WriteJSON) -> RecordedResponse:
    """The parts of a body; none if it is not a response that can be read.

    `write_json` turns a JSON value into the text of a part, such as the input of a call.
    """
    reader = _BodyReader(write_json)
    for _ in reader.texts(body):
        pass
    return RecordedResponse(reader.events, [*reader.parts().values()])


def read_pieces(body: bytes, write_json: WriteJSON) -> RecordedResponse:
    """As `read_response`, with the pieces of each part."""
    reader = _BodyReader(write_json)
    texts = list(reader.texts(body))
    parts = reader.parts()
    places = {key: place for place, key in enumerate(parts)}
    pieces = [
        ResponsePiece(end, places[one.key], one.text, one.restarts)
        for end, one in texts
        if one.text or one.restarts
    ]
    return RecordedResponse(reader.events, [*parts.values()], pieces)


class _BodyReader:
    """Reads one body."""

    def __init__(self, write_json: WriteJSON) -> None:
        self.events = 0
        self._write_json = write_json
        self._protocol = _DetectedProtocol()
        self._reader = ResponseReader(self._protocol)
        self._parts: PartsReader | None = None

    def texts(self, body: bytes) -> Iterator[tuple[int, PartText]]:
        """The texts in their order, each with the end of its event."""
        for event, items in self._read(body):
            self.events += event.data.lstrip().startswith("{")
            for item in items:
                if isinstance(item, Chunk):
                    for text in self._take(item):
                        yield event.end, text
        for text in self._parts.finish() if self._parts else ():
            yield len(body), text

    def parts(self) -> dict[object, ResponsePart]:
        return self._parts.parts() if self._parts else {}

    def _take(self, chunk: Chunk) -> list[PartText]:
        if self._parts is None:
            self._parts = self._protocol.parts_reader(self._write_json)
        return self._parts.take(chunk.delta)

    def _read(self, body: bytes) -> Iterator[tuple[ServerEvent, Sequence[Item]]]:
        """The events that are valid UTF-8, and the items of each."""
        if is_document(body):
            self._reader.feed(body)
            head = body[:MAX_FAILURE_EVIDENCE_BYTES].decode(errors="replace")
            yield ServerEvent(head, "", 0, len(body)), self._reader.finish()
            return
        for event in whole_events(body):
            items = self._reader.read([event])
            if isinstance(event, ServerEvent):
                yield event, items


class _DetectedProtocol:
    """The protocol of the first object that has `choices` (chat completions) or a `type` (Messages
    API)."""

    def __init__(self) -> None:
        self._events: CompletionEvents | MessageEvents | None = None

    @property
    def done(self) -> bool:
        return self._events is not None and self._events.done

    @property
    def complete(self) -> bool:
        return self._events is not None and self._events.complete

    def read(self, event: ServerEvent) -> Item | None:
        value = json_or_none(event.data) if self._events is None else None
        return self._protocol(value).read(event)

    def whole(self, value: dict[str, Any]) -> list[Chunk]:
        return self._protocol(value).whole(value)

    def parts_reader(self, write_json: WriteJSON) -> PartsReader:
        is_messages = isinstance(self._events, MessageEvents)
        return BlockParts(write_json) if is_messages else CompletionParts(write_json)

    def _protocol(self, value: object) -> ProtocolEvents:
        if self._events is None and isinstance(value, dict):
            if "choices" in value:
                self._events = CompletionEvents()
            elif isinstance(value.get("type"), str):
                self._events = MessageEvents()
        return self._events or CompletionEvents()
