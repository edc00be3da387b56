"""The event log of a conversation: a Redis stream with gapless ids, announced on a channel.

`rt:log:<conversation>` is the stream, whose ids are `<incarnation>-<n>`. The channel `rt:events`
announces the events of all conversations, those that were appended together in one message: a line
`<conversation> <id> <event>` for each, or `<conversation> <id>` alone if the event is long.
`rt:run:<turn>` is a hash that names the generation whose text is being streamed;
`rt:run:<turn>:content`, `…:reasoning` and `…:calls` are its texts so far. `rt:store` is a hash that
says since when nothing of all this was lost. `chat.events.scripts` writes all of it.
"""

import json
import uuid
from typing import Any, NamedTuple

from db.redis_pool import client as client

_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

CHANNEL = "rt:events"
LOG_PREFIX = "rt:log:"
STORE = "rt:store"


class EventId(NamedTuple):
    """`<incarnation>-<n>`."""

    incarnation: int
    n: int

    @classmethod
    def parse(cls, text: str) -> "EventId":
        """Raises ValueError."""
        incarnation, _, n = text.partition("-")
        if not (incarnation.isascii() and incarnation.isdigit() and n.isascii() and n.isdigit()):
            raise ValueError(f"not an event id: {text[:40]!r}")
        return cls(int(incarnation), int(n))

    def __str__(self) -> str:
        return f"{self.incarnation}-{self.n}"


class EventFrame(NamedTuple):
    """An event of a log: its id, and the text that sockets send, in UTF-8."""

    id: EventId
    text: bytes


def event_frame(event_id: EventId, event: bytes) -> EventFrame:
    """The frame of an event as the log stores it: the id becomes the first field of its object."""
    return EventFrame(event_id, b'{"id":"%d-%d",%b' % (*event_id, event[1:]))


def log_key(conversation: uuid.UUID | str) -> str:
    return f"{LOG_PREFIX}{conversation}"


def run_key(turn: uuid.UUID | str) -> str:
    return f"rt:run:{turn}"


def encode(event: dict[str, Any]) -> str:
    """An event as the log stores it and the socket sends it: ASCII where UTF-8 cannot carry it."""
    text = _encoder.encode(event)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(event, separators=(",", ":"))
    return text
