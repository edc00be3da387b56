"""What the bytes of a response say, before anything of ours has looked for calls in it.

Chat completions and Anthropic messages, each as a stream of events or as one object. Only for the
eye: it takes what it can and never fails, the bytes may be anything.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from tracing.replies.blocks import BlockReader
from tracing.replies.chat import ChatReader
from tracing.replies.events import Event, read_events
from tracing.replies.parts import Said

__all__ = ["Reply", "Said", "read_reply"]


@dataclass(frozen=True)
class Reply:
    """How many events there were, and what they say."""

    events: int = 0
    said: list[Said] = field(default_factory=list)


def read_reply(body: bytes) -> Reply:
    """Joins what the events of a body say; nothing is said if they say nothing."""
    chat, blocks = ChatReader(), BlockReader()
    events = 0
    for event in map(_value, read_events(body)):
        if isinstance(event, dict):
            events += 1
            (blocks if isinstance(event.get("type"), str) else chat).take(event)
    return Reply(events, [*chat.said, *blocks.said])


def _value(event: Event) -> Any:
    try:
        return json.loads(event.data)
    except (ValueError, RecursionError):
        return None
