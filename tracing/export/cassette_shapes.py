"""The objects of a cassette (`docs/cassettes.md`), as `cassettes` writes them."""

from typing import Any, TypedDict


class OpeningShape(TypedDict):
    """The canonical input of a turn's first request: the history with its question, and the
    tools."""

    messages: Any
    tools: Any


class BranchShape(TypedDict, total=False):
    """A turn's place among the branches of its conversation: its id, and that of the turn which it
    follows, null for the first of a branch."""

    turn: str
    parent: str | None


class ExactBody(TypedDict, total=False):
    """One of these: text, or base64 of what is not text."""

    body: str | None
    body_base64: str


class RecordedRequest(ExactBody):
    method: str
    path: str


class RecordedResponse(ExactBody):
    """`chunks`: of each arrival the milliseconds since the request was sent, and the length."""

    status: int | None
    headers: list[list[str]]
    chunks: list[list[float]]


class RecordedGeneration(TypedDict):
    attempt: int
    status: str
    error_kind: str | None
    provider: str | None
    host: str
    protocol: str
    model: str | None
    dialect: str | None
    parameters: dict[str, Any]
    settings: dict[str, Any]
    request: RecordedRequest
    response: RecordedResponse | None


class RecordedCall(TypedDict):
    """`edited_arguments`: JSON text by which a person replaced the model's arguments."""

    id: str | None
    span: str
    name: str
    arguments: Any
    edited_arguments: str | None
    result: Any
    shown: Any
    is_error: bool
    status: str
    error: str | None
    denied_by: str | None
    duration_ms: float | None


class RecordedCompaction(TypedDict):
    layer: str
    status: str
    generations: list[RecordedGeneration]


class RecordedCompactions(TypedDict, total=False):
    compactions: list[RecordedCompaction]


class RecordedRound(RecordedCompactions):
    number: int
    generations: list[RecordedGeneration]
    tool_calls: list[RecordedCall]
