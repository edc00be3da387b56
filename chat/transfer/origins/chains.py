"""Messages of a file that are several here: an answer, its calls of tools with their results, and
what was answered then."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from chat.llm.messages import Message
from chat.transfer.draft import Entry


@dataclass(frozen=True)
class SourceMessage:
    """A message of a file, and what it is here: `bodies` behind each other, none for what only has
    a place in the tree."""

    id: str
    parent: str | None
    bodies: Sequence[Message]
    created: datetime | None
    model: str = ""

    @property
    def end(self) -> str:
        """The id of the last entry."""
        return self.key(len(self.bodies) - 1)

    def key(self, place: int) -> str:
        """The id of an entry; the first one has that of the message."""
        return f"{self.id}/{place}" if place > 0 else self.id

    def entries(self, parent: str | None) -> Iterator[Entry]:
        if not self.bodies:
            yield Entry(self.id, parent, {"role": "system"}, self.created, hidden=True)
        for place, body in enumerate(self.bodies):
            yield Entry(self.key(place), parent, body, self.created, model=self.model)
            parent = self.key(place)


def entries(messages: Sequence[SourceMessage], *, is_tree: bool) -> list[Entry]:
    """All of them: in a tree behind the end of their parents, else behind each other."""
    ends = {one.id: one.end for one in messages}
    found: list[Entry] = []
    before: str | None = None
    for one in messages:
        above = ends.get(one.parent, one.parent) if one.parent else None
        found += one.entries(above if is_tree else before)
        before = one.end
    return found
