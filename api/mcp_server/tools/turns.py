"""Turns with an assistant."""

import asyncio
import uuid
from typing import Any
from uuid import UUID

from pydantic import BaseModel, Field

from api.mcp_server.texts import cut, text_of
from api.mcp_server.tool import Arguments, Caller, Result, ServerTool, ToolError
from api.mcp_server.tools.playground import POLL_S, WAIT_S
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.models import LanguageModel, Message, Preset, Turn
from limits.chat import MAX_CLIENT_KEY, MAX_MESSAGE
from limits.mcp_server import MAX_MCP_ENTRIES
from tracing.journal import phases
from tracing.models import Payload, Span
from tracing.models.attributes import call_attributes
from tracing.store import payloads

ANSWER_CHARACTERS = 64_000


class NoArguments(Arguments):
    pass


class Named(BaseModel):
    id: str
    name: str
    description: str | None = None


class AssistantsResult(Result):
    assistants: list[Named]
    models: list[Named]


def _list_assistants(caller: Caller) -> AssistantsResult:
    assistants = list(Preset.objects.for_user(caller.user)[: MAX_MCP_ENTRIES + 1])
    models = list(LanguageModel.objects.for_user(caller.user)[: MAX_MCP_ENTRIES + 1])
    is_whole = max(len(assistants), len(models)) <= MAX_MCP_ENTRIES
    return AssistantsResult(
        assistants=[
            Named(
                id=str(one.public_id), name=str(one), description=cut(one.description, 300) or None
            )
            for one in assistants[:MAX_MCP_ENTRIES]
        ],
        models=[Named(id=str(one.public_id), name=str(one)) for one in models[:MAX_MCP_ENTRIES]],
        note=None if is_whole else "Not all are listed; the others can be used by their names.",
    )


class StartArguments(Arguments):
    text: str = Field(min_length=1, max_length=MAX_MESSAGE, description="The message.")
    assistant: str = Field(
        default="",
        max_length=200,
        description="Id or name, of list_assistants; for a new conversation.",
    )
    model: str = Field(default="", max_length=200, description="Id or name of a model.")
    conversation: UUID | None = Field(
        default=None, description="To go on with; else a new one begins."
    )
    key: str = Field(
        default="",
        max_length=MAX_CLIENT_KEY,
        description="The same key again gives the same turn: for a safe retry.",
    )
    wait_s: float = WAIT_S


class WaitArguments(Arguments):
    turn: UUID = Field(description="The turn, as start_turn gives it.")
    wait_s: float = WAIT_S


class WaitingCall(BaseModel):
    call: str
    tool: str
    status: str
    arguments: str


class TurnResult(Result):
    turn: str
    conversation: str
    trace: str | None = None
    url: str = Field(description="The conversation's page, for a person.")
    status: str = Field(description="queued, streaming, waiting, done, failed or stopped")
    doing: str | None = None
    answer: str = Field(description="The text so far; of a turn that is done, the answer.")
    error: str | None = None
    waiting: list[WaitingCall] = Field(description="What a person has to decide or to answer.")


def _start(caller: Caller, arguments: StartArguments) -> Turn:
    message = NewMessage(
        key=arguments.key or f"mcp-{uuid.uuid4()}",
        text=arguments.text,
        conversation_id=arguments.conversation,
        model_id=_model(caller, arguments.model) if arguments.model else None,
        preset_id=_assistant(caller, arguments),
    )
    return send_message(caller.user, message)


def _assistant(caller: Caller, arguments: StartArguments) -> UUID | None:
    if not arguments.assistant:
        return None
    if arguments.conversation is not None:
        raise ToolError(
            "A conversation keeps its assistant. Leave out assistant, or begin a new conversation."
        )
    return _named(Preset.objects.for_user(caller.user), arguments.assistant, "assistant")


def _model(caller: Caller, wanted: str) -> UUID:
    return _named(LanguageModel.objects.for_user(caller.user), wanted, "model")


def _named(rows: Any, wanted: str, what: str) -> UUID:
    """The row with this id or name. Raises `ToolError`."""
    known = list(rows)
    for one in known:
        if wanted.casefold() in (str(one.public_id), one.name.casefold(), str(one).casefold()):
            found: UUID = one.public_id
            return found
    names = ", ".join(str(one) for one in known[:20]) or "none"
    raise ToolError(f"There is no {what} {wanted!r} for this token. There are: {names}.")


def _find(caller: Caller, turn_id: UUID) -> Turn:
    """A turn of a conversation that the person may write in. Raises `ToolError`."""
    turns = Turn.objects.writable_by(caller.user).select_related("conversation", "trace__owner")
    turn = turns.filter(public_id=turn_id).first()
    if turn is None:
        raise ToolError(f"There is no turn {turn_id} of this token's person.")
    return turn


def _state(caller: Caller, turn_id: UUID) -> tuple[str, bool, str]:
    """Status, whether there is still something to wait for, and what it does."""
    turn = _find(caller, turn_id)
    state = phases.state(turn.trace) if turn.trace and turn.is_open else None
    is_going = turn.is_open and turn.status != Turn.Status.WAITING
    return turn.status, is_going or _has_nobody_to_wait_for(turn), state.word if state else ""


def _has_nobody_to_wait_for(turn: Turn) -> bool:
    """Whether a turn that waits goes on by itself: after a subagent, or at the next attempt."""
    return turn.status == Turn.Status.WAITING and not _waiting(turn)


def _waiting(turn: Turn) -> list[Span]:
    """The calls that wait for a person, those of subagents too."""
    if turn.trace_id is None:
        return []
    calls = Span.objects.filter(kind=Span.Kind.TOOL, status=Span.Status.AWAITING_APPROVAL)
    own = list(calls.filter(trace=turn.trace_id).order_by("pk")[:MAX_MCP_ENTRIES])
    nested = calls.filter(trace__parent__trace=turn.trace_id).order_by("pk")
    asking = Span.objects.filter(
        trace=turn.trace_id, kind=Span.Kind.TOOL, status=Span.Status.WAITING
    ).exclude(nested__status="running")
    return [*own, *nested[:MAX_MCP_ENTRIES], *asking[:MAX_MCP_ENTRIES]]


def _result(caller: Caller, turn_id: UUID) -> TurnResult:
    turn = _find(caller, turn_id)
    state = phases.state(turn.trace) if turn.trace and turn.is_open else None
    waiting = _waiting(turn) if turn.is_open else []
    return TurnResult(
        turn=str(turn.public_id),
        conversation=str(turn.conversation.public_id),
        trace=str(turn.trace.public_id) if turn.trace else None,
        url=caller.base + turn.conversation.get_absolute_url(),
        status=turn.status,
        doing=state.word if state else None,
        answer=cut(_answer(turn), ANSWER_CHARACTERS),
        error=turn.error or None,
        waiting=[_call(one) for one in waiting],
        note=_note(turn, bool(waiting)),
    )


def _note(turn: Turn, waits_for_person: bool) -> str | None:
    if waits_for_person:
        return "A person has to decide or to answer, on the page of the conversation (url)."
    return "It goes on: call wait_for_turn." if turn.is_open else None


def _answer(turn: Turn) -> str:
    answers = Message.objects.filter(turn=turn, role=Message.Role.ASSISTANT)
    last = answers.order_by("-id").first()
    return text_of(last.body.get("content")) if last else ""


def _call(span: Span) -> WaitingCall:
    edited = call_attributes(span).get("edited_arguments")
    stored = Payload.objects.of_stage(span.pk, Payload.Stage.ARGUMENTS)
    text = edited or (payloads.load(stored).decode(errors="replace") if stored else "")
    return WaitingCall(
        call=str(span.public_id), tool=span.name, status=span.status, arguments=cut(text)
    )


async def list_assistants(caller: Caller, arguments: NoArguments) -> AssistantsResult:
    return await caller.in_thread(_list_assistants, caller)


async def start(caller: Caller, arguments: StartArguments) -> TurnResult:
    turn = await caller.in_thread(_start, caller, arguments)
    return await _wait(caller, turn.public_id, arguments.wait_s)


async def wait(caller: Caller, arguments: WaitArguments) -> TurnResult:
    return await _wait(caller, arguments.turn, arguments.wait_s)


async def _wait(caller: Caller, turn_id: UUID, wait_s: float) -> TurnResult:
    """Until the turn is over or waits for a person, with notices of progress."""
    loop = asyncio.get_running_loop()
    begun = loop.time()
    while (waited := loop.time() - begun) < wait_s:
        status, is_going, doing = await caller.in_thread(_state, caller, turn_id)
        if not is_going:
            break
        await caller.progress(waited, None, doing or status)
        await asyncio.sleep(min(POLL_S, wait_s - waited))
    return await caller.in_thread(_result, caller, turn_id)


LIST_ASSISTANTS = ServerTool(
    "list_assistants",
    "List assistants",
    "The assistants and the models that start_turn and run_playground can use.",
    NoArguments,
    AssistantsResult,
    list_assistants,
)
START = ServerTool(
    "start_turn",
    "Start a turn",
    "Sends a message to an assistant, which answers with its tools and servers, and waits for the "
    "end. The turn goes on when the wait or the connection ends: wait_for_turn.",
    StartArguments,
    TurnResult,
    start,
    is_read_only=False,
    is_open=True,
)
WAIT = ServerTool(
    "wait_for_turn",
    "Wait for a turn",
    "Waits until a turn is over or waits for a person, and gives its answer.",
    WaitArguments,
    TurnResult,
    wait,
)
