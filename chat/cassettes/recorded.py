"""What a cassette holds, as values."""

from dataclasses import dataclass, field
from typing import Any, Literal

from chat.llm.json_text import parse_json

Protocol = Literal["openai", "anthropic"]
Chunk = tuple[float, int]  # milliseconds since the request went out, bytes


@dataclass(frozen=True)
class Response:
    """What came back, byte for byte; `chunks` make up the body."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True)
class Generation:
    """One attempt of a model call. Without a response nothing came back, not even a status."""

    attempt: int
    status: str
    protocol: Protocol
    model: str
    path: str
    body: bytes
    response: Response | None
    method: str = "POST"
    error_kind: str | None = None
    provider: str = ""
    host: str = ""
    dialect: str = "native"
    parameters: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def sent(self) -> dict[str, Any]:
        """The request's body as a JSON object."""
        value: dict[str, Any] = parse_json(self.body.decode())
        return value


@dataclass(frozen=True)
class Call:
    """A tool call with its result; `result` is None if there was none of its own."""

    id: str
    span: str
    name: str
    arguments: str
    result: dict[str, Any] | None
    shown: str | None
    is_error: bool
    status: str
    error: str = ""
    edited_arguments: str | None = None
    denied_by: str | None = None
    duration_ms: float | None = None


@dataclass(frozen=True)
class Compaction:
    """What made room in the context before a round; a summary has model calls of its own."""

    layer: str
    status: str
    generations: tuple[Generation, ...]


@dataclass(frozen=True)
class Round:
    number: int
    generations: tuple[Generation, ...]
    calls: tuple[Call, ...] = ()
    compactions: tuple[Compaction, ...] = ()
    # In canonical form, where they are not those of the round before.
    tools: list[dict[str, Any]] | None = None


@dataclass(frozen=True)
class Opening:
    """The canonical messages and the tools that the first request was made of."""

    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]]


@dataclass(frozen=True)
class Turn:
    trace: str
    name: str
    status: str
    opening: Opening | None
    rounds: tuple[Round, ...]
    # Of a subagent: the span of the call that began it.
    call: str = ""

    @property
    def generations(self) -> list[Generation]:
        return [generation for found in self.rounds for generation in found.generations]

    @property
    def summaries(self) -> list[Generation]:
        """The model calls that made room before its rounds."""
        made = [one for found in self.rounds for one in found.compactions]
        return [generation for one in made for generation in one.generations]


@dataclass(frozen=True)
class Cassette:
    name: str
    turns: tuple[Turn, ...]

    @property
    def generations(self) -> list[Generation]:
        return [generation for turn in self.turns for generation in turn.generations]

    @property
    def models(self) -> list[str]:
        """The ids that were asked for, in the order in which they come."""
        return list(dict.fromkeys(generation.model for generation in self.generations))
