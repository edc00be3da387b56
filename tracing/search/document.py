"""The searched text of a trace, and the span and stage that each part of it comes from."""

import json
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple

from limits.traces import MAX_INDEXED_STAGE, MAX_INDEXED_TRACE
from tracing.store import compression


class Origin(NamedTuple):
    """Source of the text from character `start` on: the span's primary key and the stage, if there
    is one."""

    start: int
    span: int | None = None
    stage: str = ""


@dataclass(frozen=True)
class Document:
    """`left_out`: count of characters that are not searched (bytes, of payloads that were not
    decoded)."""

    text: str
    origins: list[Origin] = field(default_factory=list)
    left_out: int = 0

    def origin(self, at: int) -> Origin | None:
        """The source of the character at this offset."""
        place = bisect_right(self.origins, at, key=lambda origin: origin.start) - 1
        return self.origins[place] if place >= 0 else None


class Draft:
    """A document that is being collected: each text once, up to `MAX_INDEXED_TRACE` characters."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._origins: list[Origin] = []
        self._seen_texts: set[str] = set()
        self._length = 0
        self.left_out = 0

    @property
    def is_full(self) -> bool:
        return self._length >= MAX_INDEXED_TRACE

    def add(self, text: str, span: int | None = None, stage: str = "", more: int = 0) -> None:
        """`more`: length of what follows the text and was not read."""
        if not text or text in self._seen_texts:
            return
        self._seen_texts.add(text)
        cut = text[: max(0, min(MAX_INDEXED_STAGE, MAX_INDEXED_TRACE - self._length))]
        self.left_out += len(text) - len(cut) + more
        if cut:
            self._origins.append(Origin(self._length, span, stage))
            self._texts.append(cut)
            self._length += len(cut) + 1

    def document(self) -> Document:
        return Document("\n".join(self._texts), self._origins, self.left_out)


def pack_origins(origins: list[Origin]) -> bytes:
    """The value of the column `origins`."""
    return compression.pack(json.dumps(origins, separators=(",", ":")).encode())


def unpack_origins(packed: bytes) -> list[Origin]:
    return [Origin(*one) for one in json.loads(compression.unpack(packed))] if packed else []
