"""The keys of `Span.attributes`, `Trace.attributes` and `Payload.attributes`: name, type and unit.

A JSON column has no types, so each kind of span has a `TypedDict` and an accessor, which gives the
span's own dictionary: reading and writing go to the row. A key that stands in none of them is an
error of the type checker, also in `.get()` (`tests.mypy_attribute_keys`). Every key may be missing:
a span gains its attributes step by step, and old rows lack what was added later. Values that are
objects or lists are `Any`: readers check the shape of what was stored.

Moments are texts of ISO 8601 in UTC, durations integers of milliseconds, sizes bytes of UTF-8.
"""

from typing import TYPE_CHECKING, Any, TypedDict, cast

if TYPE_CHECKING:
    from tracing.models.payload import Payload
    from tracing.models.span import Span
    from tracing.models.trace import Trace


class WindowAttributes(TypedDict, total=False):
    """The context window that a request has to fit."""

    context_window: int  # tokens
    context_window_source: str  # a `WindowSource`


class GenerationAttributes(WindowAttributes, total=False):
    """One attempt of a model call."""

    # Known before the request is sent.
    provider: str  # the provider's name
    base_url: str  # where it is served, without the key
    model: str  # the model id that was asked for
    dialect: str  # name of the dialect
    parameters: dict[str, Any]  # the model's parameters as set, before translation to the wire
    attempt: int  # from 1 in its round
    prices: Any  # US dollars per million tokens, as texts: {"in", "cached", "out"}
    settings: dict[str, Any]  # of the model's row: what else decides how a request is written
    tools: Any  # {"available": count, "sent": count} where not all tools were sent
    guessed: int  # estimated tokens of the request

    # Known when it has ended.
    status_code: int | None  # HTTP status
    # Tokens, as the provider counted them; {"estimated": True, …} where it did not.
    usage: Any
    finish_reason: str | None
    answering_model: str | None  # the model id that the response names
    response_id: str | None
    notes: list[str]  # sentences: what the dialect changed or left out
    errors: list[str]  # sentences: what of the answer could not be parsed
    timings: Any  # {phase: milliseconds}
    cut: str | None  # a `Cut`: what ended it from outside
    error_kind: str | None  # class name of the error (`chat.llm.errors`)
    error_evidence: str | None  # what the provider wrote
    error_bytes: Any  # [begin, end): byte offsets in the response

    # What follows from a failure.
    retry_in_ms: int  # pause before the next attempt, milliseconds
    retry_at: str  # moment of the next attempt: `Span.retry_at`
    too_long: bool  # the provider refused the request for its length
    sent_tokens: int  # estimated tokens of the refused request
    refused_tokens: int  # tokens of the refused request, as the provider counted them
    refused_window: int  # tokens: upper bound learnt from the refusal


class CallAttributes(TypedDict, total=False):
    """A tool call."""

    # Known when it is proposed.
    call_id: str  # the model's id of the call
    message: str  # public id of the assistant message that asks for it
    server: str  # name of the MCP server; "" of a local tool
    tool: str  # the tool's name at its server
    tool_hash: str  # hash of the definition that was offered: `Span.tool_hash`
    idempotent: bool  # may be repeated after a crash: `Span.idempotent`
    offered: bool  # False: the model named a tool that it was not offered
    needs_approval: bool
    description: str  # the tool's, as the person who is asked reads it
    annotations: Any  # the server's hints, as MCP writes them
    denied_by: str  # "policy", where no person was asked
    asks_owner: bool  # only the owner of the conversation may decide
    decision: dict[str, Any]  # {"approve", "for_conversation", "by", "at"} of who was asked
    edited_arguments: str  # JSON text that replaces the model's arguments

    # Known while it runs.
    task_id: str  # of the Celery task
    sent: str  # moment just before the bytes leave
    waits: Any  # [[begin, end or None], …]: moments between which a person was waited for
    asked_at: str  # moment of the questions that it is made again for
    subagent: str  # public id of the subagent's conversation

    # Known when it has ended.
    is_error: bool
    failure: str  # of an error: a `FailureKind`; "" if the server is not to blame
    result_bytes: int  # of the result's text
    late: bool  # the result came after the call was settled
    cut: bool  # the model sees less than the whole result
    blocks: Any  # descriptions of the blocks that are no text
    images: int  # count of images that a model can be sent
    structured: Any  # structured content that the text does not repeat
    timing: Any  # {phase: milliseconds, "protocol": version}
    mcp: Any  # session, request, transport, host, port and error code of the MCP call
    left_out: list[str]  # names of arguments that the tool does not take
    quotes: Any  # [[number, words of the source], …], in the order of the result
    sources: Any  # what the result quotes: [{"number", "title", "url"}, …], numbered in the turn

    # What local tools tell.
    skill: str  # name of the skill that was loaded
    activated: list[str]  # names of the tools that a search made available
    focus: str  # what a summary is to keep above all
    sandbox: Any  # {"sandboxed", "exit_code", "seconds", "limit", "limits", "used"}


# `for` is a keyword of Python. Public id of the turn that asked for a summary; "" if none did.
_AskedFor = TypedDict("_AskedFor", {"for": str}, total=False)


class CompactionAttributes(_AskedFor, WindowAttributes, total=False):
    """Messages that were shortened or summarised for the context window."""

    layer: str  # "micro", "cap", "auto" or "manual"
    reason: str  # a sentence
    focus: str  # what the summary is to keep above all
    messages: int  # count of messages that the summary stands for
    before_round: int  # number of the round that it comes before
    summary_characters: int
    tokens_before: int  # estimated
    tokens_after: int  # estimated
    results: int  # count of results or messages that were cut
    omitted: int  # count of messages that are not sent at all
    replaced: Any  # [{"tool", "characters", "sent"}, …]
    rows: dict[str, int]  # characters sent, by primary key of the message
    left_out_characters: int
    again: bool  # a failed summary may be tried again
    retry_at: str  # moment of the next attempt: `Span.retry_at`
    too_long: bool  # the provider refused the summary's request for its length


class RoundAttributes(TypedDict, total=False):
    """A round."""

    taken_up: Any  # {"rung": moment or None, "step": moment}: when a worker took the turn up


class TurnAttributes(TypedDict, total=False):
    """The root span of a trace."""

    compact: Any  # {"focus", "turn"}: a summary that a person asked for while the turn ran
    compact_only: dict[str, str]  # {"focus", "turn"}: the turn is nothing but a summary
    refused_window: int  # tokens: the least that providers refused in this turn


class TraceAttributes(TypedDict, total=False):
    """A trace."""

    conversation: str  # public id
    turn: str  # public id
    parent: str | None  # public id of the turn that it follows on its branch; None: the first
    model: str  # the model id that was asked for
    preset: str  # the preset's name; "" without one
    timezone: str  # IANA name of the browser's time zone
    comparison: str  # id that the turns of a comparison have in common
    operation: str  # "title": a request for the title of the conversation
    check: str  # what a check of a model asks (`chat.providers.checks.CheckKind`)
    playground: str  # public id
    run: int  # number of the playground's run, from 1
    trial: str  # public id
    session: str  # of the gateway: what its caller named
    client: str  # of the gateway: the caller's `User-Agent`
    token: str  # of the gateway: the name of the caller's token
    provider: str  # of the gateway: the provider's name


class PayloadAttributes(TypedDict, total=False):
    """A request or response; `shown` of an output: it is what people had read of an answer whose
    worker was killed."""

    method: str
    url: str
    headers: list[list[str]]  # pairs of name and value, secrets masked
    status: int | None  # HTTP status
    shown: bool


def generation_attributes(span: "Span") -> GenerationAttributes:
    return cast(GenerationAttributes, span.attributes)


def call_attributes(span: "Span") -> CallAttributes:
    return cast(CallAttributes, span.attributes)


def compaction_attributes(span: "Span") -> CompactionAttributes:
    return cast(CompactionAttributes, span.attributes)


def round_attributes(span: "Span") -> RoundAttributes:
    return cast(RoundAttributes, span.attributes)


def turn_attributes(span: "Span") -> TurnAttributes:
    return cast(TurnAttributes, span.attributes)


def trace_attributes(trace: "Trace") -> TraceAttributes:
    return cast(TraceAttributes, trace.attributes)


def payload_attributes(payload: "Payload") -> PayloadAttributes:
    return cast(PayloadAttributes, payload.attributes)
