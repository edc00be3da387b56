"""A model call that is tried in the playground."""

import asyncio
from typing import Any
from uuid import UUID

from pydantic import Field

import jobs
from api.mcp_server.reading import find_round, find_trace
from api.mcp_server.texts import cut
from api.mcp_server.tool import Arguments, Caller, Result, ServerTool, ToolError
from api.mcp_server.tools.rounds import CallOfModel, attempt_of
from chat import storage
from chat.llm.json_text import parse_json
from chat.models import LanguageModel, Playground, PlaygroundRun
from chat.playground import drafts, outputs, runs
from chat.playground.drafts import TOO_LONG, Unsendable
from db.fields import dump_json
from limits.mcp_server import MAX_MCP_WAIT_S
from tracing.models import Archive

POLL_S = 0.5
TITLE = "Runs of /mcp"
WAIT_S = Field(
    default=50.0,
    ge=0,
    le=MAX_MCP_WAIT_S,
    description="Seconds to wait for the end. What is not done then goes on.",
)


class RunArguments(Arguments):
    model: str = Field(
        default="",
        max_length=200,
        description="Id or name of a model, as list_assistants gives them.",
    )
    messages: list[dict[str, Any]] | None = Field(
        default=None, description="Messages as in chat completions. By default those of `trace`."
    )
    tools: list[dict[str, Any]] | None = Field(
        default=None, description="Definitions as in chat completions. Calls are shown, not run."
    )
    parameters: dict[str, Any] | None = Field(
        default=None, description="temperature, max_tokens, reasoning_effort, …"
    )
    trace: UUID | None = Field(
        default=None, description="Repeats a recorded call; what else is given replaces its parts."
    )
    round: int = Field(default=1, ge=1, description="Of that trace.")
    attempt: int | None = Field(default=None, ge=1)
    wait_s: float = WAIT_S


class RunResult(Result):
    trace: str
    url: str
    state: str = Field(description="asked, running, succeeded, failed or stopped")
    content: str
    reasoning: str | None = None
    refusal: str | None = None
    calls: list[CallOfModel]
    problems: list[str]
    error: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: str | None = None


def _ask(caller: Caller, arguments: RunArguments) -> PlaygroundRun:
    offered = list(LanguageModel.objects.for_user(caller.user))
    draft = _draft(caller, arguments, offered)
    text = dump_json(draft)
    if drafts.is_too_long(text):
        raise ToolError(str(TOO_LONG))
    storage.check_upload(caller.user.pk, len(text))
    own = Playground.objects.for_user(caller.user).filter(title=TITLE).order_by("-pk").first()
    playground = own or Playground.objects.create(
        archive=Archive.objects.create(owner=caller.user), title=TITLE, draft=text
    )
    try:
        return runs.ask(playground, text, caller.user)
    except Unsendable as error:
        lines = [f"{one.path or 'arguments'}: {one.sentence}" for one in error.problems]
        raise ToolError("Not sent. " + " ".join(lines)) from None


def _draft(caller: Caller, arguments: RunArguments, offered: list[LanguageModel]) -> dict[str, Any]:
    """The draft of the recorded call, or an empty one, with the parts that are given."""
    if arguments.trace is not None:
        trace = find_trace(caller, arguments.trace)
        source = attempt_of(find_round(trace, arguments.round), arguments.attempt)
        draft = parse_json(drafts.of_generation(source, offered))
    elif arguments.messages is None:
        raise ToolError("Give messages, or the trace whose call is to be repeated.")
    else:
        draft = parse_json(drafts.empty(next(iter(offered), None)))
    if arguments.model:
        draft |= {"model": str(_model(arguments.model, offered).public_id), "dialect": ""}
    given = {
        "messages": arguments.messages,
        "tools": arguments.tools,
        "parameters": arguments.parameters,
    }
    return dict(draft) | {name: value for name, value in given.items() if value is not None}


def _model(wanted: str, offered: list[LanguageModel]) -> LanguageModel:
    for one in offered:
        if wanted in (str(one.public_id), one.name, str(one)):
            return one
    names = ", ".join(one.name for one in offered[:20]) or "none"
    raise ToolError(f"There is no model {wanted!r} for this token. There are: {names}.")


def _is_open(run_pk: int) -> bool:
    return PlaygroundRun.objects.filter(pk=run_pk, state__in=jobs.OPEN).exists()


def _output(caller: Caller, run_pk: int) -> RunResult:
    run = PlaygroundRun.objects.select_related("trace").get(pk=run_pk)
    output = outputs.of_run(run)
    note = None
    if run.is_open:
        note = "It still runs: read_trace says how it went, read_round then has the answer."
    return RunResult(
        trace=str(run.trace.public_id),
        url=caller.base + run.trace.get_absolute_url(),
        state=run.state,
        content=cut(output.content),
        reasoning=cut(output.reasoning) or None,
        refusal=cut(output.refusal) or None,
        calls=[CallOfModel(name=one.name, arguments=cut(one.arguments)) for one in output.calls],
        problems=output.problems,
        error=output.error or run.error or None,
        tokens_in=output.tokens_in,
        tokens_out=output.tokens_out,
        cost=output.cost or None,
        note=note,
    )


async def run(caller: Caller, arguments: RunArguments) -> RunResult:
    asked = await caller.in_thread(_ask, caller, arguments)
    loop = asyncio.get_running_loop()
    begun = loop.time()
    while (waited := loop.time() - begun) < arguments.wait_s:
        if not await caller.in_thread(_is_open, asked.pk):
            break
        await caller.progress(waited, None, "The model is called")
        await asyncio.sleep(min(POLL_S, arguments.wait_s - waited))
    return await caller.in_thread(_output, caller, asked.pk)


RUN = ServerTool(
    "run_playground",
    "Run a playground request",
    "Calls a model once: with messages of yours, or as a recorded round did, with another model, "
    "messages, tools or parameters. Tools are not run. The call is a trace of its own.",
    RunArguments,
    RunResult,
    run,
    is_read_only=False,
    is_open=True,
)
