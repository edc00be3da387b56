"""Live events: one numbered log a conversation, in Redis (see `docs/protocol.md`).

    log             appending, reading, peeking: Redis and its Lua scripts
    payloads        the events and states that a browser gets, from rows
    subagents       where a subagent stands, for the page of its parent
    running_text    streaming a generation's text

`chat.live` follows the logs on behalf of sockets.
"""

from chat.events.log import emit, emit_many
from chat.events.payloads import (
    call_event,
    compaction_event,
    generation_event,
    progress_event,
    question_event,
    turn_event,
)
from chat.events.subagents import subagent_event, subagent_states, waits_for_person

__all__ = [
    "call_event",
    "compaction_event",
    "emit",
    "emit_many",
    "generation_event",
    "progress_event",
    "question_event",
    "subagent_event",
    "subagent_states",
    "turn_event",
    "waits_for_person",
]
