"""`execute(call_id)` runs one tool call in the `tools` worker.

    approved ──claim──► approved, owned ──mark_sent──► sent ──report──► succeeded | failed | …

The compare-and-set to `sent` comes just before the bytes leave. A crash before it: the lease runs
out and the call is run again. After it: only an idempotent call is.
"""

import json
import logging
from collections.abc import Coroutine, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import ExitStack
from datetime import datetime
from functools import cache, partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import F, Q
from django.utils import timezone

from chat import doorbell, events, offering, storage, workspaces
from chat.agent import loaded_skills, subagents
from chat.agent import tools as agent_tools
from chat.agent.claimed_call import Call, Status
from chat.agent.limits import deployment, limits
from chat.engine.tool_calls import questions
from chat.engine.tool_calls.executing import registry
from chat.engine.tool_calls.policies import CHANGED
from chat.engine.tool_calls.progress import Progress
from chat.engine.tool_calls.result_content import about, earlier_text, handle_of
from chat.engine.worker.identity import process_name
from chat.engine.worker.stopped import interrupt_stopped
from chat.errors import Fenced, Rejected
from chat.files import workspace_sizes
from chat.llm.messages import UNNAMED
from chat.models import Conversation, Turn
from chat.turn_facts import wake
from db.fields import dump_json
from db.threads import after_commit, from_loop, in_database
from limits.turns import MAX_LEASE
from tools import loop
from tools.accounts import sessions
from tools.calls import execution
from tools.calls.execution import CallContext, ToolResult
from tools.calls.slots import tools_worker
from tools.catalogue import registry as tools
from tools.catalogue import switches
from tools.health import contacts
from tools.values.questions import InputNeeded
from tools.values.tool import Tool
from tools.workspace.sandbox import Folder
from tracing.export.otlp import ids, switch
from tracing.journal.subagents import topmost
from tracing.models import Payload, Span
from tracing.models.attributes import call_attributes, trace_attributes
from tracing.store import payloads

logger = logging.getLogger(__name__)

NOT_VISITED = "The user did not visit the page that the server asked for first. It was not run."
NOT_BEGUN = (
    "This call was not run: something went wrong inside the server, whose log says what. Go on "
    "without it, and tell the user that an admin has to look at the log."
)

# Tools that write to a workspace.
WRITING = ("bash", "write_file", "edit_file")

Running = Coroutine[Any, Any, ToolResult]


def execute(call_id: int, task_id: str = "", user_id: int = 0) -> None:
    """Runs this call if it is approved and nobody else does, as soon as its user (0: looked up) has
    a slot; interrupts it if it runs here and was stopped. Safe to call any number of times."""
    if registry.closing:
        return
    if call_id in registry.ids():
        in_database(interrupt_stopped, [call_id])
    if questions.live.has(call_id):
        in_database(questions.deliver)
        return
    user_id = user_id or in_database(_user_of, call_id)
    tools_worker.run(user_id, call_id, partial(_claim_and_run, call_id, task_id))


def _user_of(call_id: int) -> int:
    """Whose call it is; 0 if it is not there any more."""
    owners = Span.objects.filter(pk=call_id).values_list("trace__owner_id", flat=True)
    return owners.first() or 0


def _claim_and_run(call_id: int, task_id: str) -> None:
    if registry.closing:
        return
    call = in_database(claim, call_id, task_id, timezone.now())
    if call is not None:
        with ExitStack() as entered:
            _run(call, entered)


def _run(call: Call, entered: ExitStack) -> None:
    """Runs the call and writes what came of it. The thread does not wait for a person: then the
    end of `entered`, and of the call, is somebody else's."""
    interruption = entered.enter_context(registry.entry(call.span.pk))
    begun = _begin(call)
    if begun is None:
        return
    if isinstance(begun, ToolResult):
        _settle(call, begun)
        return
    entered.enter_context(interruption.cancelled_by(begun.cancel))
    begun.add_done_callback(lambda _: call.let_go.set())
    call.let_go.wait()
    if begun.done():
        _end(call, begun)
        return
    rest = entered.pop_all()
    begun.add_done_callback(lambda _: _ends().submit(_end_later, call, begun, rest))


@cache
def _ends() -> ThreadPoolExecutor:
    """Where the calls end that waited for a person: not on the loop."""
    return ThreadPoolExecutor(4, thread_name_prefix="calls")


def _end_later(call: Call, begun: "Future[ToolResult]", rest: ExitStack) -> None:
    with rest:
        _end(call, begun)


def _end(call: Call, begun: "Future[ToolResult]") -> None:
    try:
        _settle(call, begun.result())
    except CancelledError:
        logger.info("call %s was interrupted", call.span.pk)
    except Fenced as fenced:
        logger.info("%s", fenced)
    except Exception:
        logger.exception("call %s cannot be ended; its lease runs out", call.span.pk)


def _settle(call: Call, result: ToolResult) -> None:
    try:
        if result.needs is not None:
            in_database(_keep, call, result.needs)
        else:
            in_database(report, call, result)
    except Fenced as fenced:
        logger.info("%s", fenced)


def claim(call_id: int, task_id: str = "", began: datetime | None = None) -> Call | None:
    """Takes an approved call over, by compare-and-set. It counts as started when its task `began`:
    the wait for the database is part of it."""
    now = timezone.now()
    free = Q(owner="") | Q(lease_expires__lt=now)
    stopped = ~Q(trace__turn__status__in=Turn.OPEN) | Q(trace__turn__stop_requested__isnull=False)
    with transaction.atomic():
        waiting = Span.objects.filter(pk=call_id, kind=Span.Kind.TOOL, status=Status.APPROVED)
        runnable = waiting.filter(free).exclude(stopped).values_list("pk", flat=True)
        if not list(runnable):
            return None
        taken = waiting.filter(free).update(
            owner=process_name(),
            token=F("token") + 1,
            lease_expires=now + MAX_LEASE,
            started=began or now,
        )
        if not taken:
            return None
        return _read(call_id, task_id)


def _read(call_id: int, task_id: str) -> Call:
    span = Span.objects.select_related("parent", "trace").get(pk=call_id)
    call_attributes(span)["task_id"] = task_id
    Span.objects.filter(pk=call_id).update(attributes=span.attributes)
    beside = ("conversation__archive", "conversation__preset", "model__preset", "user")
    turn = Turn.objects.select_related(*beside).get(trace_id=span.trace_id)
    stored = Payload.objects.select_related("span__trace").get(
        span=span, stage=Payload.Stage.ARGUMENTS
    )
    written = payloads.load(stored).decode(errors="surrogatepass")
    arguments = call_attributes(span).get("edited_arguments", written)
    return Call(span, turn, span.token, arguments, questions.given(span))


def _begin(call: Call) -> "ToolResult | Future[ToolResult] | None":
    """The result, or the promise of one; None if somebody else has the call, or will bring it.

    A defect, or a disk that is full, is a result: without one the call would be begun for ever. If
    it is the database that failed, the lease runs out and the call is begun again.
    """
    try:
        ready = _ready(call)
    except Fenced as fenced:
        logger.info("%s", fenced)
        return None
    except (InterfaceError, OperationalError):
        raise
    except Exception:
        logger.exception("call %s cannot be begun", call.span.pk)
        return ToolResult.error(NOT_BEGUN)
    return loop.submit(ready()) if isinstance(ready, partial) else ready


def _ready(call: Call) -> "ToolResult | partial[Running] | None":
    """The same, where what is to run on the loop has not begun."""
    tool = in_database(_tool, call.span, call.turn)
    if isinstance(tool, ToolResult):
        return tool
    if call.given is not None and in_database(questions.refused, call.span):
        return ToolResult.error(NOT_VISITED)
    if (full := _full(tool, call.turn)) is not None:
        return full
    arguments = execution.parse_arguments(tool, call.arguments)
    if isinstance(arguments, ToolResult):
        return arguments
    if tool.by_engine:
        return in_database(agent_tools.run, call, arguments)
    tool = in_database(sessions.signed_in, tool, call.turn.user_id)
    return partial(_call, tool, arguments, _context(call, tool))


async def _call(tool: Tool, arguments: dict[str, Any], context: CallContext) -> ToolResult:
    try:
        return await execution.call(tool, arguments, context)
    finally:
        workspace_sizes.touch(context.workspace)


def _full(tool: Tool, turn: Turn) -> ToolResult | None:
    """What a call is told that would write to a workspace, when its user keeps too much."""
    if tool.server or tool.name not in WRITING:
        return None
    try:
        in_database(storage.check, turn.user_id, within_s=storage.USAGE_S)
    except Rejected as error:
        return ToolResult.error(f"The call was not run. The user has to be told: {error}")
    return None


def _tool(call: Span, turn: Turn) -> Tool | ToolResult:
    """The tool, if it still is what was asked for, and offered where it is called."""
    name, conversation = call.name, turn.conversation
    found = offering.find(name, conversation, turn.model, turn.user)
    noted = call_attributes(call)
    was_offered = noted.get("offered", True)
    if not was_offered or (found and found.server != noted.get("server", found.server)):
        found = None  # no policy was asked when it was proposed
    if found is not None and found.hash == noted.get("tool_hash", found.hash):
        return found
    if found is not None or tools.waits_for_review(name, turn.user):
        return ToolResult.error(CHANGED)
    if why := switches.why_off(name):
        return ToolResult.error(why)
    offered = offering.of(conversation, turn.model, turn.user)
    return execution.unknown("" if name == UNNAMED else name, [tool.name for tool in offered])


def _workspace(conversation: Conversation) -> UUID:
    if conversation.parent_call_id is None:
        return conversation.public_id
    return in_database(lambda: conversation.workspace)


def _folders(call: Call, tool: Tool) -> Sequence[Folder]:
    if tool.server or tool.name not in loaded_skills.SEEING:
        return ()
    return in_database(loaded_skills.folders, call.turn.conversation, call.turn.model)


def _context(call: Call, tool: Tool) -> CallContext:
    workspace = workspaces.folder(_workspace(call.turn.conversation))
    workspace.mkdir(mode=0o700, parents=True, exist_ok=True)
    return CallContext(
        workspace=workspace,
        timezone=trace_attributes(call.span.trace).get("timezone") or settings.TIME_ZONE,
        call_id=call_attributes(call.span)["call_id"],
        deadline_s=_deadline(call.turn),
        before_send=partial(from_loop, mark_sent, call),
        earlier=partial(_earlier, call),
        frames=call.frames,
        stderr=call.stderr,
        timing=call.timing,
        facts=call.facts,
        folders=_folders(call, tool),
        ask=partial(questions.ask, call),
        caller=str(call.turn.conversation.public_id),
        keeps_questions=True,
        given=call.given,
        traceparent=_traceparent(call.span),
        progress=Progress(call).report,
    )


def _deadline(turn: Turn) -> float:
    most = limits(turn.conversation, turn.model) if turn.model else deployment()
    return most.tool_seconds


def _traceparent(span: Span) -> str:
    """Without export there is no span that a server's own could hang below."""
    if not switch.sends_traces():
        return ""
    trace = in_database(topmost, span.trace)
    return ids.traceparent(trace.public_id, span.public_id)


def _earlier(call: Call, handle: str) -> str | None:
    return in_database(earlier_text, call.turn.conversation.archive, handle)


def mark_sent(call: Call) -> None:
    """The compare-and-set just before the bytes leave. Raises `Fenced`."""
    span = call.span
    call_attributes(span)["sent"] = timezone.now().isoformat()
    owned = Span.objects.filter(pk=span.pk, token=call.token, status=Status.APPROVED)
    if not owned.update(status=Status.SENT, attributes=span.attributes):
        raise Fenced(f"call {span.pk} is over or was taken over")
    span.status = Status.SENT
    after_commit(partial(_announce, call, None))


def _keep(call: Call, needs: InputNeeded) -> None:
    """The call is made again when a person has answered; what was recorded of it is kept."""
    with transaction.atomic():
        questions.keep(call, needs)
        payloads.store_all(call.turn.conversation.archive, _recorded(call))


def report(call: Call, result: ToolResult) -> None:
    """Writes a call's result and rings its turn. A late one is kept on the span only."""
    with transaction.atomic():
        turn_open = wake(call.turn.pk)
        status = _status(result)
        span = call.span
        call_attributes(span).pop("late", None)  # of an earlier try
        call_attributes(span).update(
            {
                "is_error": result.is_error,
                "result_bytes": len(result.text.encode(errors="surrogatepass")),
                **about(result),
                **call.timing.as_attributes(),
                **call.facts,
            }
        )
        owned = Span.objects.filter(
            pk=span.pk, token=call.token, status__in=[Status.APPROVED, Status.SENT, Status.WAITING]
        )
        now = timezone.now()
        changes = {"owner": "", "lease_expires": None, "ended": now, "status": status}
        settled = turn_open and owned.update(attributes=span.attributes, **changes)
        if not settled:
            # Somebody else may have the call by now: what they have noted stays.
            noted = Span.objects.values_list("attributes", flat=True).get(pk=span.pk)
            span.attributes = {**span.attributes, **noted, "late": True}
            Span.objects.filter(pk=span.pk).update(attributes=span.attributes)
        _store(call, result, is_late=not settled)
        contacts.record_call(call.timing)
        if settled or not turn_open:
            questions.close_all([span.pk])
        if settled:
            span.status, span.ended = status, now
            after_commit(partial(_announce, call, _shown(call, result)))
            after_commit(partial(doorbell.ring_turn, call.turn.pk, call.turn.user_id))


def _status(result: ToolResult) -> Span.Status:
    if result.unknown:
        return Status.OUTCOME_UNKNOWN
    return Status.FAILED if result.is_error else Status.SUCCEEDED


def _store(call: Call, result: ToolResult, *, is_late: bool) -> None:
    """A late one was not shown to the model: what was is stored already, or will be."""
    full = {"content": result.content, "is_error": result.is_error}
    if result.structured is not None:
        full["structured"] = result.structured
    records: list[payloads.Record] = [
        (call.span, "result", dump_json(full).encode(), {}),
    ]
    if not is_late:
        shown = _shown(call, result).encode(errors="surrogatepass")
        records.append((call.span, "shown", shown, {}))
    payloads.store_all(call.turn.conversation.archive, [*records, *_recorded(call)])


def _recorded(call: Call) -> list[payloads.Record]:
    """The traffic, after that of the times that the call was made before."""
    before = Payload.objects.filter(
        span=call.span, stage__in=[Payload.Stage.FRAMES, Payload.Stage.STDERR]
    ).select_related("span__trace")
    earlier = {payload.stage: payloads.load(payload) for payload in before}
    before.delete()
    frames = [*json.loads(earlier.get("frames", b"[]")), *call.frames]
    stderr = [*earlier.get("stderr", b"").decode().splitlines(), *call.stderr]
    records: list[payloads.Record] = []
    if frames:
        records.append((call.span, "frames", dump_json(frames).encode(), {}))
    if stderr:
        records.append((call.span, "stderr", "\n".join(stderr).encode(), {}))
    return records


def _shown(call: Call, result: ToolResult) -> str:
    """What the model reads; what `read_result` read was cut by itself."""
    return result.shown_as(handle_of(call.span))


def _announce(call: Call, shown: str | None) -> None:
    assert call.span.parent is not None
    events.emit(
        call.turn.conversation.public_id,
        events.call_event(call.turn, call.span.parent.number, call.span, call.arguments, shown),
    )
    subagents.tell(call.turn)
