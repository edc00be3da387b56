"""The objects of a trace's JSON (`docs/trace-json.md`), as `trace_json` writes them.

Moments are texts of ISO 8601 in UTC with microseconds, or None. A stage that is damaged is
`{"corrupt": reason}` in place of its value, one that is not text `{"base64": …}`.
"""

from typing import Any, TypedDict

from tracing.export.compact_json import Pieces
from tracing.models.attributes import CompactionAttributes, PayloadAttributes


class TraceTimes(TypedDict):
    started: str | None
    ended: str | None


class ParentCall(TypedDict, total=False):
    """Of a subagent: the public id of the call that began it."""

    call: str


class TraceHead(TraceTimes, ParentCall):
    """The beginning of a document."""

    id: str
    name: str
    status: str
    conversation: str | None
    turn: str | None
    parent: str | None
    model: str | None


class ActionShape(TypedDict):
    kind: str
    at: str | None
    user: str | None
    span: str | None
    detail: Any


class BodyShape(TypedDict, total=False):
    """One of these: text, base64, the pieces of the compact form, or None and why it is damaged."""

    body: str | None
    body_base64: str
    body_pieces: Pieces
    corrupt: str


class SentHash(TypedDict, total=False):
    """Of a redacted payload: the hash of the bytes on the wire."""

    sha256_sent: str


class Arrivals(TypedDict, total=False):
    """Of a response: pairs of milliseconds since the request was sent, and length."""

    chunks: Any


class MessageShape(PayloadAttributes, BodyShape, SentHash, Arrivals):
    """An HTTP request or response."""

    size: int
    sha256: str
    redacted: bool


class InputShape(TypedDict, total=False):
    """One of these: the value, or the pieces of the compact form."""

    input: Any
    input_pieces: Pieces


class GenerationShape(TraceTimes, InputShape):
    """One attempt of a model call."""

    id: str
    attempt: int
    status: str
    error: str | None
    provider: str | None
    base_url: str | None
    model: str | None
    answering_model: str | None
    dialect: str | None
    parameters: dict[str, Any] | None
    status_code: int | None
    finish_reason: str | None
    usage: Any
    timings: Any
    retry_in_ms: int | None
    request: MessageShape | None
    response: MessageShape | None
    output: Any


class CallExtras(TypedDict, total=False):
    """What only some calls have."""

    subagent: str
    skill: str
    sandbox: Any


class CallShape(TraceTimes, CallExtras):
    """A tool call. `id` is the model's, `span` ours."""

    id: str | None
    span: str
    name: str
    server: str | None
    tool: str | None
    arguments: Any
    result: Any
    shown: Any
    frames: Any
    stderr: Any
    is_error: bool | None
    status: str
    error: str | None
    task_id: str | None
    queued: str | None


class CompactionShape(TraceTimes, CompactionAttributes):
    """A compaction with the attributes of its span, and the model calls of a summary."""

    id: str
    status: str
    error: str | None
    generations: list[GenerationShape]


class NewElements(TypedDict, total=False):
    """Of the compact form: the elements that occur first in this round."""

    elements: list[str]


class RoundCompactions(TypedDict, total=False):
    """The compactions before the round, and those after it if it is the last one."""

    compactions: list[CompactionShape]
    compactions_after: list[CompactionShape]


class RoundShape(TraceTimes, NewElements, RoundCompactions):
    number: int
    id: str
    status: str
    generations: list[GenerationShape]
    tool_calls: list[CallShape]
