"""Events that differ from an earlier one only in one text, as nearly all events of an answer do.

Such an event is read without parsing it: its data are the same around the literal of the text.
"""

from collections.abc import Callable
from json import loads

from wire.chunks import Chunk
from wire.sse import ServerEvent

# So many templates are made without one of them fitting an event, and then none: in some streams
# each event has another id or padding.
TRIALS = 3
_PROBE = "probe"

# Reads an event in full, without effects; None for one whose content is no chunk.
ReadChunk = Callable[[ServerEvent], Chunk | None]
MakeChunk = Callable[[str], Chunk]
# The one text of a chunk, and a function that makes the same chunk with another text; None for a
# chunk that has no text or several.
SplitChunk = Callable[[Chunk], tuple[str, MakeChunk] | None]


class RepeatedEvents:
    """Reads events by the template of an earlier one."""

    __slots__ = ("_edge", "_head", "_make", "_read", "_split", "_tail", "_type", "_unused")

    def __init__(self, read: ReadChunk, split: SplitChunk) -> None:
        self._read = read
        self._split = split
        self._make: MakeChunk | None = None
        self._head = self._tail = self._type = ""
        self._edge = 0  # length of head and tail
        self._unused = 0

    def chunk_of(self, event: ServerEvent) -> Chunk | None:
        """The chunk of an event that fits the template; None if it does not."""
        data, make = event.data, self._make
        if (
            make is None
            or not data.endswith(self._tail)
            or not data.startswith(self._head)
            or len(data) < self._edge
            or event.type != self._type
        ):
            return None
        text = _text(data[len(self._head) : len(data) - len(self._tail)])
        if text is None:
            return None
        self._unused = 0
        return make(text)

    def learn(self, event: ServerEvent, chunk: Chunk) -> None:
        """Makes the template of an event that was read in full."""
        if self._unused >= TRIALS or (split := self._split(chunk)) is None:
            return
        text, make = split
        head, literal, tail = event.data.rpartition(f'"{text}"')
        if not literal or not _is_plain(text):
            return
        self._unused += 1
        self._make, self._type = make, event.type
        self._head, self._tail = f'{head}"', f'"{tail}'
        self._edge = len(self._head) + len(self._tail)
        # Another text at this place has to be the chunk's text, and to change nothing else.
        probe = event._replace(data=f"{self._head}{_PROBE}{self._tail}")
        if self._read(probe) != make(_PROBE):
            self.forget()

    def forget(self) -> None:
        """To be called when events are read differently from here on."""
        self._make = None


def _is_plain(text: str) -> bool:
    """Whether the text is its own JSON literal."""
    return text.isprintable() and '"' not in text and "\\" not in text


def _text(literal: str) -> str | None:
    """The text of a literal without its quotes; None if it is not exactly one."""
    if _is_plain(literal):
        return literal
    try:
        text: str = loads(f'"{literal}"')
    except ValueError:
        return None
    return text
