"""A tool call that this process has claimed."""

import threading
from dataclasses import dataclass, field
from typing import Any

from chat.models import Turn
from tools.values.questions import InputGiven
from tools.values.timing import CallTiming
from tracing.models import Span
from tracing.models.attributes import CallAttributes

Status = Span.Status


@dataclass(frozen=True)
class Call:
    """Its row, its turn, and the arguments to run with, as JSON text.

    `given` are a person's answers to what the server asked the last time. `let_go` is set when its
    thread has nothing to wait for: the call is over, or waits for a person.
    """

    span: Span
    turn: Turn
    token: int
    arguments: str
    given: InputGiven | None = None
    frames: list[Any] = field(default_factory=list)
    stderr: list[str] = field(default_factory=list)
    timing: CallTiming = field(default_factory=CallTiming)
    facts: CallAttributes = field(default_factory=CallAttributes)
    let_go: threading.Event = field(default_factory=threading.Event, compare=False)
