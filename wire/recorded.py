"""What a recorded body says, and when each piece of it came.

For the eye: the protocol is told from the body, and what cannot be read ends what is read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from limits.models import MAX_FAILURE_EVIDENCE_BYTES
from wire.anthropic_messages import MessageEvents
from wire.chat_completions import CompletionEvents
from wire.chunks import Chunk, Item, ProtocolEvents
from wire.json_values import parsed
from wire.response import ResponseReader, is_document
from wire.response_parts import BlockParts, CompletionParts, PartsReader, PartText, ResponsePart
from wire.sse import InvalidEvent, ServerEvent, StreamEvent, events_of, whole_events
from wire.tool_calls import WriteJSON


class ResponsePiece(NamedTuple):
    """What one event added to the `part`-th part; `restarts` if what was there before is void.

    `end` is the number of the body's bytes up to the end of the event.
    """

    end: int
    part: int
    text: str
    restarts: bool = False


@dataclass(frozen=True, slots=True)
class RecordedResponse:
    """How many events begin an object, and what they say. The texts of a part's pieces, from the
    last that restarts it, make up its text."""

    events: int = 0
    parts: list[ResponsePart] = field(default_factory=list)
    pieces: list[ResponsePiece] = field(default_factory=list)


def body_events(body: bytes) -> list[StreamEvent]:
    """The server-sent events of a body; one for a JSON document, none for what is neither."""
    if not is_document(body):
        return events_of(body)
    try:
        return [ServerEvent(body.decode(), "", 0, len(body))]
    except UnicodeDecodeError as error:
        return [InvalidEvent(body, "", 0, len(body), error.start, body)]


def data_of(event: StreamEvent) -> bytes:
    """The data of an event as it was in the body."""
    return event.data if isinstance(event, InvalidEvent) else event.data.encode()


def read_response(body: bytes, write_json: WriteJSON) -> RecordedResponse:
    """Joins what the events of a body say; nothing is said if they say nothing.

    `write_json` writes what is a value in the body and a text here, such as a call's input.
    """
    reading = _Reading(write_json)
    for _ in reading.texts(body):
        pass
    return RecordedResponse(reading.events, [*reading.parts().values()])


def read_pieces(body: bytes, write_json: WriteJSON) -> RecordedResponse:
    """As `read_response`, with the pieces in which it was said."""
    reading = _Reading(write_json)
    texts = list(reading.texts(body))
    parts = reading.parts()
    places = {key: place for place, key in enumerate(parts)}
    pieces = [
        ResponsePiece(end, places[one.key], one.text, one.restarts)
        for end, one in texts
        if one.text or one.restarts
    ]
    return RecordedResponse(reading.events, [*parts.values()], pieces)


class _Reading:
    """Reads one body."""

    def __init__(self, write_json: WriteJSON) -> None:
        self.events = 0
        self._write_json = write_json
        self._protocol = _ToldProtocol()
        self._reader = ResponseReader(self._protocol)
        self._parts: PartsReader | None = None

    def texts(self, body: bytes) -> Iterator[tuple[int, PartText]]:
        """The texts that come, each with the end of its event."""
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
        """The events that are text, and what each of them says."""
        if is_document(body):
            self._reader.feed(body)
            head = body[:MAX_FAILURE_EVIDENCE_BYTES].decode(errors="replace")
            yield ServerEvent(head, "", 0, len(body)), self._reader.finish()
            return
        for event in whole_events(body):
            items = self._reader.read([event])
            if isinstance(event, ServerEvent):
                yield event, items


class _ToldProtocol:
    """The protocol that the first telling object tells: of chat completions it has `choices`, of
    the Messages API a `type`."""

    def __init__(self) -> None:
        self._events: CompletionEvents | MessageEvents | None = None

    @property
    def done(self) -> bool:
        return self._events is not None and self._events.done

    @property
    def complete(self) -> bool:
        return self._events is not None and self._events.complete

    def read(self, event: ServerEvent) -> Item | None:
        value = parsed(event.data) if self._events is None else None
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
