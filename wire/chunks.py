"""The content of a response's events, in one form for all protocols."""

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any, NamedTuple, Protocol

from languages.stored import stored
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

    def has_only_text(self) -> bool:
        """Whether the delta is one text, and the chunk does not end the answer."""
        return (
            len(self.delta) == 1
            and self.finish_reason is None
            and all(isinstance(value, str) for value in self.delta.values())
        )


class ProblemKind(Enum):
    """Why a response with a successful HTTP status is not a complete answer."""

    EMPTY = stored("there is not one byte")
    NOT_A_STREAM = stored("it is a web page or another document")
    NO_CHUNKS = stored("it is an event stream that says nothing")
    CUT = stored("it ends before its declared end")
    NOT_AN_OBJECT = stored("the data of an event is not a JSON object")
    INVALID_UTF8 = stored("the data of an event is not UTF-8")


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


def joined(items: Sequence[Item]) -> Iterator[Item]:
    """The items, of which neighbours that differ only in one text are one chunk with their texts.

    What a dialect reads does not depend on how a text is cut: one long text costs as much as a
    short one.
    """
    texts: list[str] = []
    first: Chunk | None = None  # of the neighbours whose texts are in `texts`
    for item in items:
        if first is not None and isinstance(item, Chunk) and _continues(item, first):
            texts += item.delta.values()
            continue
        if first is not None:
            yield _with_texts(first, texts)
            first = None
        if isinstance(item, Chunk) and item.has_only_text():
            first, texts = item, [*item.delta.values()]
        else:
            yield item
    if first is not None:
        yield _with_texts(first, texts)


def _continues(chunk: Chunk, first: Chunk) -> bool:
    return (
        chunk.delta.keys() == first.delta.keys()
        and chunk[1:] == first[1:]
        and chunk.has_only_text()
    )


def _with_texts(chunk: Chunk, texts: Sequence[str]) -> Chunk:
    if len(texts) == 1:
        return chunk
    (key,) = chunk.delta
    return chunk._replace(delta={key: "".join(texts)})
