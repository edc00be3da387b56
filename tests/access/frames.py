"""Who may send which frame about what: one rule a handler of the socket."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.access.rows import Rows

# No permission opens a chat of somebody else; a group that it is shared with does.
OWNER = frozenset({"owner"})
WRITERS = OWNER | {"writer"}
READERS = WRITERS | {"reader"}


@dataclass(frozen=True)
class FrameRule:
    """`frame` makes one about a row, given its id; `answers` are the types of what comes back to
    `who` it is for before a pong, `refused` those for everybody else and for an id that names
    nothing; `knows` are told why it is refused."""

    frame: Callable[[Any], dict[str, Any]]
    of: Callable[[Rows], Any] | None = None
    answers: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()
    who: frozenset[str] = OWNER
    knows: frozenset[str] = frozenset()


ERROR = frozenset({"error"})

FRAMES: dict[str, FrameRule] = {
    "open": FrameRule(
        lambda row: {"conversation": row},
        lambda rows: rows.conversation,
        frozenset({"snapshot"}),
        ERROR,
        who=READERS,
    ),
    "send": FrameRule(
        lambda row: {"conversation": row, "key": "k", "text": "hello"},
        lambda rows: rows.conversation,
        frozenset({"accepted"}),
        frozenset({"rejected"}),
        who=WRITERS,
        knows=frozenset({"reader"}),
    ),
    "watch": FrameRule(
        lambda row: {"conversation": row},
        lambda rows: rows.nested,
        frozenset({"nested"}),
        ERROR,
        who=READERS,
    ),
    "unwatch": FrameRule(lambda row: {"conversation": row}, lambda rows: rows.nested),
    "stop": FrameRule(lambda row: {"turn": row}, lambda rows: rows.turn),
    "decide": FrameRule(lambda row: {"call": row, "decision": "deny"}, lambda rows: rows.call),
    "answer": FrameRule(
        lambda row: {"question": row, "action": "decline"}, lambda rows: rows.question
    ),
    "writing": FrameRule(lambda row: {}),
    "ping": FrameRule(lambda row: {}, None, frozenset({"pong"}), frozenset({"pong"})),
}
