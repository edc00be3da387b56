"""The values of a cassette."""

from dataclasses import dataclass, field
from typing import Any, Literal

from chat.llm.json_text import parse_json

Protocol = Literal["openai", "anthropic"]
Chunk = tuple[float, int]  # milliseconds since the request was sent, bytes


@dataclass(frozen=True)
class CassetteResponse:
    """The exact bytes of a response; `chunks` make up the body."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True)
class CassetteGeneration:
    """One attempt of a model call. `response`: None if not even a status was received."""

    attempt: int
    status: str
    protocol: Protocol
    model: str
    path: str
    body: bytes
    response: CassetteResponse | None
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
class CassetteCall:
    """A tool call. `result`: None if the tool returned none."""

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
class CassetteCompaction:
    """A compaction before a round; one by a summary has model calls."""

    layer: str
    status: str
    generations: tuple[CassetteGeneration, ...]


@dataclass(frozen=True)
class CassetteRound:
    number: int
    generations: tuple[CassetteGeneration, ...]
    calls: tuple[CassetteCall, ...] = ()
    compactions: tuple[CassetteCompaction, ...] = ()
    # Canonical tools, where they differ from those of the previous round.
    tools: list[dict[str, Any]] | None = None


@dataclass(frozen=True)
class Opening:
    """The canonical messages and tools of the first request."""

    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]]


@dataclass(frozen=True)
class CassetteTurn:
    trace: str
    name: str
    status: str
    opening: Opening | None
    rounds: tuple[CassetteRound, ...]
    # The span of the call that started it, for a subagent's turn.
    call: str = ""
    # The turn's id, and that of the turn which it follows on its branch; "" for none, or unknown.
    turn: str = ""
    parent: str = ""

    @property
    def generations(self) -> list[CassetteGeneration]:
        return [generation for round_ in self.rounds for generation in round_.generations]

    @property
    def summaries(self) -> list[CassetteGeneration]:
        """The model calls of compactions before its rounds."""
        compactions = [one for round_ in self.rounds for one in round_.compactions]
        return [generation for one in compactions for generation in one.generations]


@dataclass(frozen=True)
class Cassette:
    name: str
    turns: tuple[CassetteTurn, ...]

    @property
    def generations(self) -> list[CassetteGeneration]:
        return [generation for turn in self.turns for generation in turn.generations]

    @property
    def models(self) -> list[str]:
        """The model ids of the requests, in their order."""
        return list(dict.fromkeys(generation.model for generation in self.generations))
