"""From the bytes of a response to chunks, for any protocol.

Reading ends at the end that the protocol declares, or at the first problem: a response that is not
a complete answer is one, even with a successful HTTP status. A JSON document in place of the
requested stream is read as an answer too.
"""

import re
from collections.abc import Iterable

from limits.models import MAX_FAILURE_EVIDENCE_BYTES
from wire.chunks import Chunk, Item, Problem, ProblemKind, ProtocolEvents, ReportedError
from wire.json_values import is_error, json_or_none
from wire.sse import EventStream, ServerEvent, StreamEvent

_DOCUMENT = (b"{", b"[")
_FIELD = re.compile(rb"\s*(data|event|id|retry)?:")


class ResponseReader:
    """Reads one response, as a whole or as it arrives."""

    def __init__(self, events: ProtocolEvents) -> None:
        self._events = events
        self._stream = EventStream()
        self._size = 0  # bytes of the body up to now
        self._head = b""
        self._last: str | None = None  # data of the last event with content
        self._document: list[bytes] | None = None
        self.problem: Problem | ReportedError | None = None

    @property
    def done(self) -> bool:
        """The stream has declared its end."""
        return self._events.done

    def feed(self, piece: bytes) -> list[Item]:
        """The items of the events that end within this piece; nothing follows a problem."""
        self._size += len(piece)
        if len(self._head) < MAX_FAILURE_EVIDENCE_BYTES:
            self._begin(piece)
        if self._document is not None:
            self._document.append(piece)
            return []
        return self.read(self._stream.feed(piece))

    def finish(self) -> list[Item]:
        """The items of what is left at the end of the body: an event without its final empty line,
        or the answer that was not streamed; and a problem if the answer is incomplete."""
        if self._document is not None:
            return self._whole(b"".join(self._document))
        last = self._stream.rest()
        items = self.read([last]) if last else []
        if self.problem is None and (problem := self._problem_of_end()):
            self.problem = problem
            items.append(problem)
        return items

    def read(self, events: Iterable[StreamEvent]) -> list[Item]:
        """The items of events, up to the first problem."""
        items: list[Item] = []
        for event in events:
            if self.problem is not None or self._events.done:
                break
            if not isinstance(event, ServerEvent):
                items += self._failed(Problem(ProblemKind.INVALID_UTF8, event.offset, event.line))
            elif (item := self._events.read(event)) is None:
                continue
            elif isinstance(item, Chunk):
                items.append(item)
                self._last = event.data
            else:
                items += self._failed(item)
        return items

    def _begin(self, piece: bytes) -> None:
        if self._document is None and not self._head.strip() and is_document(piece):
            self._document = []
        self._head += piece[: MAX_FAILURE_EVIDENCE_BYTES - len(self._head)]

    def _problem_of_end(self) -> Problem | None:
        if not self._head:
            return Problem(ProblemKind.EMPTY, 0, b"")
        if self._last is None:
            is_stream = _FIELD.match(self._head)
            kind = ProblemKind.NO_CHUNKS if is_stream else ProblemKind.NOT_A_STREAM
            return Problem(kind, 0, self._head)
        if not self._events.complete:
            return Problem(ProblemKind.CUT, self._size, self._last.encode())
        return None

    def _whole(self, body: bytes) -> list[Item]:
        value = json_or_none(body)
        if isinstance(value, dict) and is_error(value):
            return self._failed(ReportedError(value, 0, body))
        chunks = self._events.whole(value) if isinstance(value, dict) else []
        if chunks:
            return [*chunks]
        is_cut = value is None and body.lstrip().startswith(b"{")
        return self._failed(
            Problem(ProblemKind.CUT, self._size, body)
            if is_cut
            else Problem(ProblemKind.NOT_A_STREAM, 0, body)
        )

    def _failed(self, problem: Problem | ReportedError) -> list[Item]:
        self.problem = problem
        return [problem]


def is_document(body: bytes) -> bool:
    """Whether a body with this beginning is a JSON document: no field of an event stream begins
    with a bracket."""
    return body.lstrip()[:1] in _DOCUMENT
