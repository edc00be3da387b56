"""`execute(call_id)` runs one tool call in the `tools` worker.

    approved ──claim_call──► approved, owned ──mark_sent──► sent ──finish_call──► succeeded | …

What a call is given is in `call_context`, what is written of it in `call_claims` (before it is
sent) and `call_outcome` (when it has ended).
"""

import logging
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, partial
from typing import Any, TypeVar, assert_never
from uuid import UUID

from django.db import InterfaceError, OperationalError
from django.utils import timezone

from chat.agent import tools as agent_tools
from chat.agent.claimed_call import ClaimedCall
from chat.engine.tool_calls import questions
from chat.engine.tool_calls.call_claims import claim_call
from chat.engine.tool_calls.call_context import (
    call_context,
    refusal_beyond_limit,
    refusal_of_full_storage,
    tool_of,
)
from chat.engine.tool_calls.call_outcome import finish_call, suspend_call
from chat.engine.tool_calls.running_calls import running_calls
from chat.engine.worker.stopped_calls import interrupt_stopped_calls
from chat.errors import Fenced
from chat.files import workspace_sizes
from chat.models import COUNTED_USER, Turn
from chat.placement import calls as placed_calls
from chat.placement import routing
from chat.placement.pins import Elsewhere, Here, Lost
from db.threads import in_database, in_database_again
from host.log_ids import log_ids, note
from jobs.ring import UNREACHABLE
from tools import loop
from tools.accounts import sessions
from tools.calls import execution
from tools.calls.execution import CallContext, ToolResult
from tools.calls.slots import tools_worker
from tools.values.call import text_block
from tools.values.tool import Tool

T = TypeVar("T")

logger = logging.getLogger(__name__)

NOT_VISITED = "The user did not visit the page that the server asked for first. It was not run."
NOT_BEGUN = (
    "This call was not run: something went wrong inside the server, whose log says what. Go on "
    "without it, and tell the user that an admin has to look at the log."
)


@dataclass(frozen=True)
class RunTool:
    """The tool is to run on the process's loop."""

    tool: Tool
    arguments: dict[str, Any]
    context: CallContext


@dataclass(frozen=True)
class LeaveCall:
    """Nothing to do here: another process has the call, or a subagent brings its result."""


# How a claimed call goes on: with a result that needs no run, by running its tool, or elsewhere.
CallStep = ToolResult | RunTool | LeaveCall


def execute(call_id: int, task_id: str = "", user_id: int = 0, *, is_rung: bool = True) -> None:
    """Runs this call, if it is approved and has no owner, as soon as its user (0: looked up) has a
    slot; interrupts it if it runs here and was stopped. Safe to call any number of times. Where the
    machines share no folder, the machine that has the workspace is rung if this is another one; if
    the call was not `is_rung` but found, that machine finds it, too."""
    if running_calls.closing:
        return
    if call_id in running_calls.ids():
        in_database(interrupt_stopped_calls, [call_id])
    if questions.live.has(call_id):
        in_database(questions.deliver)
        return
    if not routing.is_shared() and not _runs_here(call_id, user_id, is_rung=is_rung):
        return
    user_id = user_id or in_database(_user_of, call_id)
    tools_worker.run(user_id, call_id, partial(_claim_and_run, call_id, task_id))


def _runs_here(call_id: int, user_id: int, *, is_rung: bool) -> bool:
    match where := in_database(routing.where, call_id):
        case Here():
            return True
        case Elsewhere() if is_rung:
            try:
                routing.forward(call_id, user_id, where)
            except UNREACHABLE as error:
                logger.warning("Redis is out of reach (%s); its machine finds the call", error)
        case Lost(sentence):
            call = in_database(claim_call, call_id)
            if call is not None:
                _write_outcome(call, ToolResult.error(sentence))
    return False


def _user_of(call_id: int) -> int:
    """The key of the person whose turn the call belongs to; 0 if it was deleted."""
    turns = Turn.objects.filter(trace__spans=call_id)
    return turns.values_list(COUNTED_USER, flat=True).first() or 0


def _claim_and_run(call_id: int, task_id: str) -> None:
    if running_calls.closing:
        return
    with log_ids(call=call_id):
        taken = in_database(_take, call_id, task_id, timezone.now())
        if taken is not None:
            turn = taken[0].turn
            note(turn=turn.pk, user=turn.user_id, trace=str(taken[0].span.trace.public_id))
            with ExitStack() as resources:
                _run(*taken, resources)


def _take(
    call_id: int, task_id: str, started: datetime
) -> tuple[ClaimedCall, Tool | ToolResult] | None:
    """Claims the call, and finds its tool or the result that it has without one."""
    call = claim_call(call_id, task_id, started)
    return None if call is None else (call, _or_defect(call, partial(_find_tool, call)))


def _find_tool(call: ClaimedCall) -> Tool | ToolResult:
    tool = tool_of(call.span, call.turn)
    if isinstance(tool, ToolResult):
        return tool
    if call.answers is not None and questions.refused(call.span):
        return ToolResult.error(NOT_VISITED)
    if (refusal := refusal_beyond_limit(call)) is not None:
        return refusal
    return sessions.signed_in(tool, call.turn.user_id)


def _run(call: ClaimedCall, tool: Tool | ToolResult, resources: ExitStack) -> None:
    """Runs the call and writes its outcome. While a person is waited for, this thread does not wait
    with it: then `resources` are closed, and the call is ended, by a thread of `_finishers`."""
    interruption = resources.enter_context(running_calls.entry(call.span.pk))
    step = _first_step(call, tool)
    match step:
        case LeaveCall():
            return
        case ToolResult():
            _write_outcome(call, step)
            return
        case RunTool():
            run = loop.submit(_run_tool(step))
        case _:
            assert_never(step)
    resources.enter_context(interruption.cancelled_by(run.cancel))
    run.add_done_callback(lambda _: call.thread_is_free.set())
    call.thread_is_free.wait()
    if run.done():
        _finish_run(call, run, step)
        return
    rest = resources.pop_all()
    run.add_done_callback(lambda _: _finishers().submit(_finish_later, call, run, step, rest))


@cache
def _finishers() -> ThreadPoolExecutor:
    """Threads in which calls end that waited for a person: a database write must not hold up the
    loop."""
    return ThreadPoolExecutor(4, thread_name_prefix="calls")


def _finish_later(
    call: ClaimedCall, run: "Future[ToolResult]", step: RunTool, resources: ExitStack
) -> None:
    with resources:
        _finish_run(call, run, step)


def _with_stored_files(result: ToolResult, step: RunTool) -> ToolResult:
    """The result, as an error with the reason if the files that the call changed are not stored."""
    if routing.is_shared() or not routing.uses_workspace(step.tool):
        return result
    problem = placed_calls.leave(UUID(step.context.workspace.name))
    if not problem:
        return result
    return replace(result, content=[*result.content, text_block(problem)], is_error=True)


def _finish_run(call: ClaimedCall, run: "Future[ToolResult]", step: RunTool) -> None:
    try:
        _write_outcome(call, _with_stored_files(run.result(), step))
    except CancelledError:
        _with_stored_files(ToolResult([]), step)
        logger.info("call %s was interrupted", call.span.pk)
    except Fenced as fenced:
        logger.info("%s", fenced)
    except Exception:
        logger.exception("call %s cannot be ended; its lease expires", call.span.pk)


def _write_outcome(call: ClaimedCall, result: ToolResult) -> None:
    """What the tool has done cannot be done again: while the database fails it is tried again. The
    call's lease is renewed meanwhile."""
    write = partial(suspend_call, call, result.needs) if result.needs else None
    try:
        in_database_again(write or partial(finish_call, call, result))
    except Fenced as fenced:
        logger.info("%s", fenced)


def _first_step(call: ClaimedCall, tool: Tool | ToolResult) -> CallStep:
    try:
        return (
            tool
            if isinstance(tool, ToolResult)
            else _or_defect(call, partial(_prepare, call, tool))
        )
    except Fenced as fenced:
        logger.info("%s", fenced)
        return LeaveCall()


def _or_defect(call: ClaimedCall, step: Callable[[], T]) -> T | ToolResult:
    """The answer of `step`. A defect of the program or a full disk is a result: without one the
    call would be begun again and again. After a failure of the database the lease expires and the
    call is begun again."""
    try:
        return step()
    except (Fenced, InterfaceError, OperationalError):
        raise
    except Exception:
        logger.exception("call %s cannot be begun", call.span.pk)
        return ToolResult.error(NOT_BEGUN)


def _prepare(call: ClaimedCall, tool: Tool) -> CallStep:
    if (refusal := refusal_of_full_storage(tool, call.turn)) is not None:
        return refusal
    arguments = execution.parse_arguments(tool, call.arguments)
    if isinstance(arguments, ToolResult):
        return arguments
    if tool.by_engine:
        result = in_database(agent_tools.run, call, arguments)
        return LeaveCall() if result is None else result
    if not routing.is_shared() and routing.uses_workspace(tool):
        problem = placed_calls.enter(in_database(lambda: call.turn.conversation.top))
        if problem:
            return ToolResult.error(problem)
    return RunTool(tool, arguments, call_context(call, tool))


async def _run_tool(step: RunTool) -> ToolResult:
    try:
        return await execution.execute_tool(step.tool, step.arguments, step.context)
    finally:
        workspace_sizes.touch(step.context.workspace)
