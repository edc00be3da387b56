"""What a response said piece by piece, as its events came."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tracing.formatting.text import join_surrogates
from tracing.replies.blocks import BlockReader
from tracing.replies.chat import ChatReader
from tracing.replies.events import Event, read_events
from tracing.replies.parts import Saying

_HALF = re.compile("[\ud800-\udbff]$")


@dataclass(frozen=True)
class Piece:
    """What one event added to the `part`-th part; `restarts` if what was there before is void.

    `end` is the number of the body's bytes up to the end of the event.
    """

    end: int
    part: int
    text: str
    restarts: bool = False


@dataclass(frozen=True)
class Arriving:
    """Parts in the order of `read_reply`; the texts of a part's pieces make up its text."""

    parts: list[Saying] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)


def read_arriving(body: bytes) -> Arriving:
    """The pieces of a body in their order; none of one that says nothing."""
    chat, blocks = ChatReader(), BlockReader()
    watched: dict[int, _Watched] = {}
    found: list[tuple[int, Saying, str, bool]] = []
    for event in read_events(body):
        value = _value(event)
        if not isinstance(value, dict):
            continue
        reader = blocks if isinstance(value.get("type"), str) else chat
        reader.take(value)
        for saying in reader.sayings:
            news = watched.setdefault(id(saying), _Watched(saying))
            found += [(event.end, saying, *said) for said in news.take()]
    parts = [*chat.sayings, *blocks.sayings]
    places = {id(saying): place for place, saying in enumerate(parts)}
    pieces = [
        Piece(end, places[id(saying)], text, restarts)
        for end, saying, text, restarts in found
        if id(saying) in places
    ]
    return Arriving(parts, pieces)


@dataclass
class _Watched:
    """How much of a part was seen. Half a character waits for its other half."""

    saying: Saying
    pieces: int = 0
    restarts: int = 0
    half: str = ""

    def take(self) -> Iterator[tuple[str, bool]]:
        """What came since the last look, and whether it begins anew."""
        restarts = self.saying.restarts != self.restarts
        if restarts:
            self.restarts, self.pieces, self.half = self.saying.restarts, 0, ""
        new = self.saying.pieces[self.pieces :]
        self.pieces += len(new)
        text = self.half + "".join(new)
        self.half = text[-1] if _HALF.search(text) else ""
        text = join_surrogates(text[: len(text) - len(self.half)])
        if text or restarts:
            yield text, restarts


def _value(event: Event) -> Any:
    try:
        return json.loads(event.data)
    except (ValueError, RecursionError):
        return None
