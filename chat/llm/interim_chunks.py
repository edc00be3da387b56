import json
from dataclasses import dataclass
from typing import Any

from chat.llm.errors import BrokenChunk, EmptyBody, InvalidUtf8, NoChunks
from chat.llm.failures import provider_error


@dataclass
class Chunk:
    delta: dict[str, Any]
    finish_reason: str | None
    usage: dict[str, Any] | None
    model: str | None
    id: str | None


class ChunkReader:
    def __init__(self) -> None:
        self._rest = b""
        self.done = False
        self._any = False
        self._bytes = 0

    def feed(self, piece: bytes) -> list[Chunk]:
        self._bytes += len(piece)
        *lines, self._rest = (self._rest + piece).split(b"\n")
        return [c for line in lines if (c := self._line(line)) is not None]

    def finish(self) -> list[Chunk]:
        found = self.feed(b"\n") if self._rest else []
        if not self._bytes:
            raise EmptyBody()
        if not self._any and not found:
            raise NoChunks()
        return found

    def _line(self, line: bytes) -> Chunk | None:
        if not line.startswith(b"data:"):
            return None
        data = line[5:].strip()
        if data == b"[DONE]":
            self.done = True
            return None
        try:
            value = json.loads(data)
        except UnicodeDecodeError as e:
            raise InvalidUtf8(e.start, evidence=line) from e
        except ValueError as e:
            raise BrokenChunk(evidence=line) from e
        if value.get("error"):
            raise provider_error(value["error"], line)
        self._any = True
        choice = (value.get("choices") or [{}])[0]
        return Chunk(
            choice.get("delta") or {},
            choice.get("finish_reason"),
            value.get("usage"),
            value.get("model"),
            value.get("id"),
        )
