"""Reading a round, and the bytes of one of its stages."""

from base64 import b64encode
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from api.mcp_server.reading import ROUND, TRACE_ID, find_round, find_trace
from api.mcp_server.texts import cut
from api.mcp_server.tool import Arguments, Caller, Result, ServerTool, ToolError
from limits.mcp_server import MAX_MCP_ENTRIES, MAX_MCP_STAGE_BYTES
from tracing.formatting.text import Clip
from tracing.journal import trace_rounds
from tracing.journal.trace_rounds import Round
from tracing.models import Payload, Span
from tracing.models.attributes import call_attributes, generation_attributes, payload_attributes
from tracing.page.calls.tool_calls import Call
from tracing.page.generation_facts import generation_notes
from tracing.page.round_page import RoundPage, read_round_page
from tracing.page.stages.messages import MessageView
from tracing.page.stages.request import Fold, RequestView
from tracing.page.stages.response import OutputView
from tracing.page.view_options import TraceViewOptions
from tracing.store.ranges import Body

ATTEMPT = Field(default=None, ge=1, description="Number of an attempt; by default the last one.")


class CallOfModel(BaseModel):
    name: str
    arguments: str


class MessageShape(BaseModel):
    change: str | None = Field(
        default=None, description="Since the model call before: added, removed, …"
    )
    position: int | None = None
    role: str
    content: str
    reasoning: str | None = None
    calls: list[CallOfModel] = []
    answers: str | None = Field(default=None, description="The call that it is the result of.")


class AttemptShape(BaseModel):
    attempt: int
    status: str
    error: str | None = None
    provider: str | None = None
    model: str | None = None
    status_code: int | None = None
    finish_reason: str | None = None
    parameters: dict[str, Any] | None = None
    usage: dict[str, Any] | None = None
    timings: dict[str, Any] | None = Field(default=None, description="Milliseconds.")
    notes: list[str] = Field(default=[], description="What the request could not express.")


class StageShape(BaseModel):
    stage: str
    bytes: int
    is_redacted: bool = Field(description="A known secret was replaced before it was stored.")


class ToolCallShape(BaseModel):
    call: int
    name: str
    server: str | None = None
    status: str
    is_error: bool
    error: str | None = None
    seconds: float | None = None
    arguments: str
    result: str = Field(description="As the model was shown it.")
    stages: list[str]


class RoundArguments(Arguments):
    trace: UUID = TRACE_ID
    round: int = ROUND
    attempt: int | None = ATTEMPT


class RoundResult(Result):
    round: int
    of: int = Field(description="The number of rounds.")
    status: str
    attempts: list[AttemptShape]
    attempt: int | None = Field(default=None, description="The attempt that the rest is about.")
    messages: int | None = Field(default=None, description="Messages in the request.")
    unchanged: int = Field(default=0, description="Those that the model call before had too.")
    new: list[MessageShape] = Field(description="Messages that changed since then.")
    tools: list[str] = Field(description="Names of the tools that were offered.")
    answer: MessageShape | None = None
    parse_errors: list[str] = Field(default=[])
    calls: list[ToolCallShape]
    stages: list[StageShape] = Field(description="What read_stage reads.")


def _read_round(caller: Caller, arguments: RoundArguments) -> RoundResult:
    trace = find_trace(caller, arguments.trace)
    round_ = find_round(trace, arguments.round)
    numbers = trace_rounds.round_numbers(trace)
    if arguments.attempt is not None:
        attempt_of(round_, arguments.attempt)
    attempt = str(arguments.attempt or "")
    page = read_round_page(trace, round_, numbers, attempt, "", TraceViewOptions(), [])
    contents = {stage.name: stage.content for stage in page.stages}
    sent, output = contents.get("input"), contents.get("output")
    request = sent if isinstance(sent, RequestView) else None
    entries = request.entries if request else []
    said = output if isinstance(output, OutputView) else None
    return RoundResult(
        round=round_.number,
        of=len(numbers),
        status=round_.span.status,
        attempts=[_attempt(span) for span in round_.generations[-MAX_MCP_ENTRIES:]],
        attempt=page.generation.number if page.generation else None,
        messages=request.messages if request else None,
        unchanged=sum(one.count for one in request.items if isinstance(one, Fold))
        if request
        else 0,
        new=[_message(one) for one in entries[-MAX_MCP_ENTRIES:]],
        tools=[one.name for one in request.tools if one.change != "removed"] if request else [],
        answer=_message(said.message) if said else None,
        parse_errors=said.errors if said else [],
        calls=[_call(one) for one in page.calls[:MAX_MCP_ENTRIES]],
        stages=_stages(page),
        note=_note(page, request, len(entries)),
    )


def _note(page: RoundPage, request: RequestView | None, entries: int) -> str | None:
    notes = []
    if request is None and page.generation is not None:
        notes.append("Its input cannot be shown as messages: read_stage has its bytes.")
    if entries > MAX_MCP_ENTRIES or (request and request.pages > 1):
        notes.append("Not all messages are listed: read_stage with stage input has them.")
    if len(page.calls) > MAX_MCP_ENTRIES:
        notes.append(f"{len(page.calls)} calls in all: read_stage with call has the others.")
    return " ".join(notes) or None


def attempt_of(round_: Round, number: int | None) -> Span:
    """An attempt, or the last one. Raises `ToolError`."""
    if not round_.generations:
        raise ToolError(f"In round {round_.number} no model has been called yet.")
    if number is None:
        return round_.generations[-1]
    for one in round_.generations:
        if one.number == number:
            return one
    last = round_.generations[-1].number
    raise ToolError(f"There is no attempt {number} in round {round_.number}: the last is {last}.")


def _attempt(span: Span) -> AttemptShape:
    attributes = generation_attributes(span)
    usage, timings = attributes.get("usage"), attributes.get("timings")
    return AttemptShape(
        attempt=span.number,
        status=span.status,
        error=cut(span.error, 1_000) or None,
        provider=attributes.get("provider"),
        model=attributes.get("model"),
        status_code=attributes.get("status_code"),
        finish_reason=attributes.get("finish_reason"),
        parameters=attributes.get("parameters"),
        usage=usage if isinstance(usage, dict) else None,
        timings=timings if isinstance(timings, dict) else None,
        notes=generation_notes(span),
    )


def _message(view: MessageView) -> MessageShape:
    texts = [_whole(view.content), *(_whole(one.content) for one in view.results)]
    texts += [*view.attached, view.rest]
    return MessageShape(
        change=view.change or None,
        position=view.position or None,
        role=view.role,
        content=cut("\n".join(filter(None, texts))),
        reasoning=cut(_whole(view.reasoning)) or None,
        calls=[
            CallOfModel(name=one.name, arguments=cut(_whole(one.arguments)))
            for one in view.calls[:MAX_MCP_ENTRIES]
        ],
        answers=view.answers or None,
    )


def _whole(text: Clip) -> str:
    return f"{text.text}\n[… {text.hidden:,} more characters]" if text.hidden else text.text


def _call(call: Call) -> ToolCallShape:
    attributes, elapsed = call_attributes(call.span), call.elapsed
    texts = {part.stage: _whole(part.text) for part in call.parts}
    return ToolCallShape(
        call=call.span.number,
        name=call.span.name,
        server=attributes.get("server") or None,
        status=call.span.status,
        is_error=call.is_error,
        error=cut(call.span.error, 1_000) or None,
        seconds=round(elapsed.total_seconds(), 3) if elapsed is not None else None,
        arguments=cut(texts.get("arguments", "")),
        result=cut(texts.get("shown") or texts.get("result", "")),
        stages=[part.stage for part in call.parts],
    )


def _stages(page: RoundPage) -> list[StageShape]:
    stored = [(stage.name, stage.payload) for stage in page.stages]
    return [
        StageShape(stage=name, bytes=payload.size, is_redacted=payload.redacted)
        for name, payload in stored
        if payload is not None
    ]


OF_CALLS = ("arguments", "result", "shown", "frames", "stderr")
Stage = Literal[
    "input", "request", "response", "output", "arguments", "result", "shown", "frames", "stderr"
]


class StageArguments(Arguments):
    trace: UUID = TRACE_ID
    round: int = ROUND
    stage: Stage = Field(
        description="Of a model call: input (messages as meant), request and response (exact HTTP "
        "bodies), output (the parsed message). Of a tool call: arguments, result, shown (to the "
        "model), frames (MCP messages), stderr."
    )
    attempt: int | None = ATTEMPT
    call: int | None = Field(
        default=None, ge=1, description="Number of a tool call, for its stages."
    )
    offset: int = Field(default=0, ge=0, description="The first byte.")
    length: int = Field(default=16_384, ge=1, le=MAX_MCP_STAGE_BYTES, description="Bytes at most.")


class StageResult(Result):
    stage: str
    size: int = Field(description="Bytes of the whole.")
    offset: int
    length: int = Field(description="Bytes that are given.")
    text: str | None = None
    base64: str | None = Field(default=None, description="Instead of text, of what is no UTF-8.")
    next_offset: int | None = None
    headers: list[tuple[str, str]] | None = Field(default=None, description="Of an HTTP message.")


def _read_stage(caller: Caller, arguments: StageArguments) -> StageResult:
    trace = find_trace(caller, arguments.trace)
    span = _span(find_round(trace, arguments.round), arguments)
    payload = Payload.objects.of_stage(span.pk, arguments.stage)
    if payload is None:
        stages = Payload.objects.filter(span=span).values_list("stage", flat=True)
        known = ", ".join(sorted(stages)) or "none, or they were removed because of their age"
        raise ToolError(f"{arguments.stage} is not stored here. There are: {known}.")
    body = Body(payload)
    if arguments.offset > body.size:
        raise ToolError(f"offset is beyond the end: this stage has {body.size} bytes.")
    part = body.read(arguments.offset, arguments.offset + arguments.length)
    return _stage_result(payload, arguments, part)


def _stage_result(payload: Payload, arguments: StageArguments, part: bytes) -> StageResult:
    end = arguments.offset + len(part)
    text, given = _decoded(part, is_last=end >= payload.size)
    end = arguments.offset + given
    rest = payload.size - end
    return StageResult(
        stage=arguments.stage,
        size=payload.size,
        offset=arguments.offset,
        length=given,
        text=text,
        base64=None if text is not None else b64encode(part).decode(),
        next_offset=end if rest > 0 else None,
        headers=_headers(payload) if arguments.offset == 0 else None,
        note=f"{rest:,} more bytes: call again with offset = {end}." if rest > 0 else None,
    )


def _decoded(part: bytes, *, is_last: bool) -> tuple[str | None, int]:
    """The text and the bytes that it is of: a character that the end cuts is left to the next
    part. None for what is no text."""
    for missing in (0,) if is_last else (0, 1, 2, 3):
        kept = part[: len(part) - missing]
        try:
            text = kept.decode()
        except UnicodeDecodeError:
            continue
        if kept or not part:
            return (None, len(part)) if "\0" in text else (text, len(kept))
    return None, len(part)


def _headers(payload: Payload) -> list[tuple[str, str]] | None:
    headers = payload_attributes(payload).get("headers")
    if headers is None:
        return None
    return [(str(name), cut(str(value), 1_000)) for name, value in headers[:100]]


def _span(round_: Round, arguments: StageArguments) -> Span:
    is_of_call = arguments.stage in OF_CALLS
    if not is_of_call:
        return attempt_of(round_, arguments.attempt)
    if arguments.call is None:
        raise ToolError(f"{arguments.stage} is of a tool call: say which by its number in call.")
    for call in round_.calls:
        if call.number == arguments.call:
            return call
    count = len(round_.calls)
    raise ToolError(f"There is no call {arguments.call} in round {round_.number}: it has {count}.")


async def read_round(caller: Caller, arguments: RoundArguments) -> RoundResult:
    return await caller.in_thread(_read_round, caller, arguments)


async def read_stage(caller: Caller, arguments: StageArguments) -> StageResult:
    return await caller.in_thread(_read_stage, caller, arguments)


READ_ROUND = ServerTool(
    "read_round",
    "Read a round",
    "One call of the model: what was new in its request, the tools that it was offered, its answer "
    "as parsed, the tool calls with arguments and results, attempts with errors, usage, timings.",
    RoundArguments,
    RoundResult,
    read_round,
)
READ_STAGE = ServerTool(
    "read_stage",
    "Read exact bytes",
    "The exact content of a stage of a model call or of a tool call, a part at a time.",
    StageArguments,
    StageResult,
    read_stage,
)
