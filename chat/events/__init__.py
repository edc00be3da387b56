"""Live events: one numbered log a conversation, in Redis (see `docs/protocol.md`).

    log             ids, frames and keys of a log, the connection to Redis
    scripts, lua/   what is written and read in one step: the Lua scripts, typed
    script_connection   the connection on which a loop runs them
    publishing      appending events
    payloads        the events and states that a browser gets, from rows
    subagents       where a subagent stands, for the page of its parent
    running_text    streaming a generation's text
    tick            how often that is written

`chat.live` follows the logs on behalf of sockets.
"""

from chat.events.payloads import (
    call_event,
    compaction_event,
    feedback_event,
    generation_event,
    progress_event,
    question_event,
    turn_event,
)
from chat.events.publishing import emit, emit_and_ring, emit_many, forget
from chat.events.subagents import subagent_event, subagent_states, waits_for_person

__all__ = [
    "call_event",
    "compaction_event",
    "emit",
    "emit_and_ring",
    "emit_many",
    "feedback_event",
    "forget",
    "generation_event",
    "progress_event",
    "question_event",
    "subagent_event",
    "subagent_states",
    "turn_event",
    "waits_for_person",
]
