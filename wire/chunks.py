"""What the events of a response say, one by one, in one form for every protocol."""

from enum import Enum
from typing import Any, NamedTuple, Protocol

from wire.sse import ServerEvent


class Chunk(NamedTuple):
    """What one event says; what it does not say is empty or None.

    `delta` is what the dialect's parser is fed. `finish_reason` is one of the chat completions':
    stop, length, tool_calls, content_filter. `usage` is all that is known of it by now. `refusal`
    is a sentence that came beside the delta.
    """

    delta: dict[str, Any]
    finish_reason: str | None = None
    usage: dict[str, Any] | None = None
    model: str | None = None
    id: str | None = None
    refusal: str | None = None


class ProblemKind(Enum):
    """Why a response is no complete answer, though HTTP called it a success."""

    EMPTY = "there is not one byte"
    NOT_A_STREAM = "it is a web page or another document"
    NO_CHUNKS = "it is an event stream that says nothing"
    CUT = "it ends before its declared end"
    NOT_AN_OBJECT = "the data of an event is not a JSON object"
    INVALID_UTF8 = "the data of an event is not UTF-8"


class Problem(NamedTuple):
    """What cannot be read. `offset` is the byte of the body where it begins; `evidence` are the
    bytes there."""

    kind: ProblemKind
    offset: int
    evidence: bytes


class ReportedError(NamedTuple):
    """The provider's own error in place of an answer: `{"error": …}`, the error itself, or text.
    `offset` and `evidence` as in `Problem`."""

    error: dict[str, Any] | str
    offset: int
    evidence: bytes


ReadProblem = Problem | ReportedError
Item = Chunk | Problem | ReportedError


class ProtocolEvents(Protocol):
    """Reads the events of one response. `done`: nothing that follows is to be read. `complete`:
    what came by now may be all of an answer."""

    @property
    def done(self) -> bool: ...

    @property
    def complete(self) -> bool: ...

    def read(self, event: ServerEvent) -> Item | None:
        """What an event says; None if it says nothing."""
        ...

    def whole(self, value: dict[str, Any]) -> list[Chunk]:
        """The chunks of an answer that was not streamed; none if it is not one."""
        ...
