"""Stream events of a response in order of arrival, by pages."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, ClassVar

from db.fields import dump_json
from limits.trace_pages import MAX_ARRIVAL_BYTES
from tracing.formatting.binaries import shorten
from tracing.formatting.text import Clip, decode
from tracing.models import Payload
from tracing.store import payloads
from tracing.store.chunks import Chunk
from wire.json_values import json_or_none
from wire.recorded import body_events, data_of
from wire.sse import ServerEvent, StreamEvent

PAGE_SIZE = 200


@dataclass(frozen=True)
class ResponseEvent:
    """`ms`: arrival of its last byte, in milliseconds since the request was sent; None if unknown.

    `together`: it arrived in the same chunk as the previous event. `same`: keys whose values equal
    those of the previous event; `text` leaves them out.
    """

    number: int
    type: str
    text: Clip
    same: list[str]
    size: int
    ms: float | None
    together: bool = False


@dataclass(frozen=True)
class ResponseEvents:
    """A page of the `count` events of a response."""

    template: ClassVar[str] = "tracing/stages/_response_events.html"

    events: list[ResponseEvent]
    count: int
    part: int
    parts: int
    chunks: int

    @property
    def previous(self) -> int:
        return max(1, self.part - 1)

    @property
    def next(self) -> int:
        return min(self.parts, self.part + 1)


def read(payload: Payload, body: bytes, part: int) -> ResponseEvents | None:
    """The `part`-th page, or the last one. None if the body has no events."""
    events = body_events(body)
    if not events:
        return None
    chunks = payloads.read_chunks(payload)
    parts = -(-len(events) // PAGE_SIZE)
    part = min(max(part, 1), parts)
    first = (part - 1) * PAGE_SIZE
    before = _members(events[first - 1]) if first else {}
    window = events[first : first + PAGE_SIZE]
    listed = _page_of_events(window, first + 1, before, chunks, len(body))
    return ResponseEvents(listed, len(events), part, parts, len(chunks))


def _page_of_events(
    events: Sequence[StreamEvent],
    first: int,
    before: dict[str, Any],
    chunks: list[Chunk],
    length: int,
) -> list[ResponseEvent]:
    """Without arrival times if the lengths of the chunks do not add up to the body's, as after the
    replacement of a secret."""
    ends = list(accumulate(size for _, size in chunks))
    is_exact = bool(ends) and ends[-1] == length
    listed: list[ResponseEvent] = []
    chunk_before = -1
    for number, event in enumerate(events, first):
        chunk = bisect_left(ends, event.end) if is_exact else -1
        ms = chunks[chunk][0] if is_exact else None
        together = is_exact and chunk == chunk_before
        members = _members(event)
        same = [key for key in members if key in before and members[key] == before[key]]
        text = _text(event, members, same)
        listed.append(
            ResponseEvent(number, event.type, text, same, len(data_of(event)), ms, together)
        )
        chunk_before, before = chunk, members
    return listed


def _members(event: StreamEvent) -> dict[str, Any]:
    """Members of the JSON object in an event; empty for other data."""
    value = json_or_none(event.data) if isinstance(event, ServerEvent) else None
    return value if isinstance(value, dict) else {}


def _text(event: StreamEvent, members: dict[str, Any], same: list[str]) -> Clip:
    """The data of the event, or its JSON without the keys in `same`."""
    if not same:
        return decode(shorten(data_of(event)), MAX_ARRIVAL_BYTES)
    new = {key: value for key, value in members.items() if key not in same}
    return decode(shorten(dump_json(new).encode()), MAX_ARRIVAL_BYTES)
