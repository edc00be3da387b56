"""The content of a response's events, in one form for all protocols."""

from enum import Enum
from typing import Any, NamedTuple, Protocol

from wire.sse import ServerEvent


class Chunk(NamedTuple):
    """The content of one event; members that it does not have are empty or None.

    `delta` is the input of the dialect's parser. `finish_reason` is one of chat completions: stop,
    length, tool_calls, content_filter. `usage` is the total up to this event. `refusal` is text
    outside of the delta.
    """

    delta: dict[str, Any]
    finish_reason: str | None = None
    usage: dict[str, Any] | None = None
    model: str | None = None
    id: str | None = None
    refusal: str | None = None


class ProblemKind(Enum):
    """Why a response with a successful HTTP status is not a complete answer."""

    EMPTY = "there is not one byte"
    NOT_A_STREAM = "it is a web page or another document"
    NO_CHUNKS = "it is an event stream that says nothing"
    CUT = "it ends before its declared end"
    NOT_AN_OBJECT = "the data of an event is not a JSON object"
    INVALID_UTF8 = "the data of an event is not UTF-8"


class Problem(NamedTuple):
    """Where a response cannot be read: `offset` in bytes of the body, `evidence` the bytes
    there."""

    kind: ProblemKind
    offset: int
    evidence: bytes


class ReportedError(NamedTuple):
    """An error that the provider sent in place of an answer: `{"error": …}`, the error itself, or
    text. `offset` and `evidence` as in `Problem`."""

    error: dict[str, Any] | str
    offset: int
    evidence: bytes


ReadProblem = Problem | ReportedError
Item = Chunk | Problem | ReportedError


class ProtocolEvents(Protocol):
    """Reads the events of one response. `done`: the declared end was read; what follows is ignored.
    `complete`: the events up to now may be a whole answer."""

    @property
    def done(self) -> bool: ...

    @property
    def complete(self) -> bool: ...

    def read(self, event: ServerEvent) -> Item | None:
        """The content of an event; None if it has none."""
        ...

    def whole(self, value: dict[str, Any]) -> list[Chunk]:
        """The chunks of an answer that was not streamed; empty if the value is no answer."""
        ...
