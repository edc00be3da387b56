"""The text of a trace that is searched, and which span and stage each stretch of it is from."""

import json
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple

from limits.traces import MAX_INDEXED_STAGE, MAX_INDEXED_TRACE
from tracing.store import compression


class Origin(NamedTuple):
    """From character `start` of the text on: the span's primary key and the stage, if it is of
    one."""

    start: int
    span: int | None = None
    stage: str = ""


@dataclass(frozen=True)
class Document:
    """`left_out`: characters (bytes, of what was not opened) that are not searched."""

    text: str
    origins: list[Origin] = field(default_factory=list)
    left_out: int = 0

    def origin(self, at: int) -> Origin | None:
        """Where the character `at` is from."""
        place = bisect_right(self.origins, at, key=lambda origin: origin.start) - 1
        return self.origins[place] if place >= 0 else None


class Draft:
    """A document that grows: each text once, up to `MAX_INDEXED_TRACE` characters."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._origins: list[Origin] = []
        self._known: set[str] = set()
        self._length = 0
        self.left_out = 0

    @property
    def is_full(self) -> bool:
        return self._length >= MAX_INDEXED_TRACE

    def add(self, text: str, span: int | None = None, stage: str = "", more: int = 0) -> None:
        """`more` is how much there is behind this text that was not read."""
        if not text or text in self._known:
            return
        self._known.add(text)
        cut = text[: max(0, min(MAX_INDEXED_STAGE, MAX_INDEXED_TRACE - self._length))]
        self.left_out += len(text) - len(cut) + more
        if cut:
            self._origins.append(Origin(self._length, span, stage))
            self._texts.append(cut)
            self._length += len(cut) + 1

    def document(self) -> Document:
        return Document("\n".join(self._texts), self._origins, self.left_out)


def pack_origins(origins: list[Origin]) -> bytes:
    """As the column keeps them."""
    return compression.pack(json.dumps(origins, separators=(",", ":")).encode())


def unpack_origins(packed: bytes) -> list[Origin]:
    return [Origin(*one) for one in json.loads(compression.unpack(packed))] if packed else []
