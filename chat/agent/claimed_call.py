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
class ClaimedCall:
    """Its row, its turn, and the arguments to run with, as JSON text.

    `answers` are a person's, to the questions with which the server ended the earlier run.
    `thread_is_free` is set when the thread of the call has nothing to wait for: the call is over,
    or waits for a person.
    """

    span: Span
    turn: Turn
    token: int
    arguments: str
    answers: InputGiven | None = None
    frames: list[Any] = field(default_factory=list)
    stderr: list[str] = field(default_factory=list)
    timing: CallTiming = field(default_factory=CallTiming)
    facts: CallAttributes = field(default_factory=CallAttributes)
    thread_is_free: threading.Event = field(default_factory=threading.Event, compare=False)
