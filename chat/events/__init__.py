"""Live events: one numbered log a conversation, in Redis (see `docs/protocol.md`).

`log` appends and reads, `payloads` makes the events, `running` streams a generation's text,
`feed` follows logs on behalf of sockets, `untold` finds the ends that no event told.
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
