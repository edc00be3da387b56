"""`execute(call_id)` runs one tool call in the `tools` worker.

    approved ──claim──► approved, owned ──mark_sent──► sent ──report──► succeeded | failed | …

The compare-and-set to `sent` comes just before the bytes leave. A crash before it: the lease runs
out and the call is run again. After it: only an idempotent call is.
"""

import logging
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from chat import doorbell, events, workspaces
from chat.database import after_commit, from_loop, in_database
from chat.engine.claims import LEASE
from chat.engine.executing import registry
from chat.engine.identity import process_name
from chat.engine.interruption import Interruption
from chat.engine.policies import CHANGED
from chat.engine.result_content import earlier_text, handle_of, sendable_images
from chat.errors import Fenced
from chat.models import Turn
from chat.turns import wake
from tools import content, execution, loop
from tools import registry as tools
from tools.execution import CallContext, ToolResult
from tools.tool import Tool
from tracing import payloads
from tracing.fields import dump_json
from tracing.models import Payload, Span

logger = logging.getLogger(__name__)

Status = Span.Status


@dataclass(frozen=True)
class Call:
    """A claimed call: its row, its turn, and the arguments as the model wrote them."""

    span: Span
    turn: Turn
    token: int
    arguments: str
    frames: list[Any] = field(default_factory=list)
    stderr: list[str] = field(default_factory=list)


def execute(call_id: int, task_id: str = "") -> None:
    """Runs this call if it is approved and nobody else does. Safe to call any number of times."""
    if registry.closing:
        return
    call = in_database(claim, call_id, task_id, timezone.now())
    if call is None:
        return
    try:
        with registry.entry(call.span.pk) as interruption:
            in_database(report, call, _result(call, interruption))
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
            lease_expires=now + LEASE,
            started=began or now,
        )
        if not taken:
            return None
        return _read(call_id, task_id)


def _read(call_id: int, task_id: str) -> Call:
    span = Span.objects.select_related("parent").get(pk=call_id)
    span.attributes["task_id"] = task_id
    Span.objects.filter(pk=call_id).update(attributes=span.attributes)
    turn = Turn.objects.select_related("conversation__archive", "user").get(trace_id=span.trace_id)
    stored = Payload.objects.select_related("span__trace").get(
        span=span, stage=Payload.Stage.ARGUMENTS
    )
    written = payloads.load(stored).decode(errors="surrogatepass")
    return Call(span, turn, span.token, span.attributes.get("edited_arguments", written))


def _result(call: Call, interruption: Interruption) -> ToolResult:
    tool = in_database(_tool, call.span, call.turn)
    if isinstance(tool, ToolResult):
        return tool
    arguments = execution.parse_arguments(tool, call.arguments)
    if isinstance(arguments, ToolResult):
        return arguments
    future = loop.submit(execution.call(tool, arguments, _context(call)))
    with interruption.cancelled_by(future.cancel):
        try:
            return future.result()
        except CancelledError:
            return _cancelled(call)


def _tool(call: Span, turn: Turn) -> Tool | ToolResult:
    """The tool, if it still is what was asked for, and this user's to call."""
    name = call.name
    found = tools.find(name, turn.user)
    if found is not None and found.server != call.attributes.get("server", found.server):
        found = None  # it was not offered when it was proposed, so that no policy was asked
    if found is not None and found.hash == call.attributes.get("tool_hash", found.hash):
        return found
    if found is not None or tools.waits_for_review(name):
        return ToolResult.error(CHANGED)
    return execution.unknown(name, [offered.name for offered in tools.offered(None, turn.user)])


def _context(call: Call) -> CallContext:
    workspace = workspaces.folder(call.turn.conversation.public_id)
    workspace.mkdir(mode=0o700, parents=True, exist_ok=True)
    return CallContext(
        workspace=workspace,
        timezone=settings.TIME_ZONE,
        call_id=call.span.attributes["call_id"],
        deadline_s=settings.TOOL_DEADLINE,
        before_send=partial(from_loop, mark_sent, call),
        earlier=partial(_earlier, call),
        frames=call.frames,
        stderr=call.stderr,
    )


def _earlier(call: Call, handle: str) -> str | None:
    return in_database(earlier_text, call.turn.conversation.archive, handle)


def mark_sent(call: Call) -> None:
    """The compare-and-set just before the bytes leave. Raises `Fenced`."""
    span = call.span
    span.attributes["sent"] = timezone.now().isoformat()
    owned = Span.objects.filter(pk=span.pk, token=call.token, status=Status.APPROVED)
    if not owned.update(status=Status.SENT, attributes=span.attributes):
        raise Fenced(f"call {span.pk} is over or was taken over")
    span.status = Status.SENT
    after_commit(partial(_announce, call, None))


def _cancelled(call: Call) -> ToolResult:
    raise Fenced(f"call {call.span.pk} was interrupted")


def report(call: Call, result: ToolResult) -> None:
    """Writes a call's result and rings its turn. A late one is kept on the span only."""
    with transaction.atomic():
        turn_open = wake(call.turn.pk)
        status = _status(result)
        span = call.span
        span.attributes |= {
            "is_error": result.is_error,
            "result_bytes": len(result.text.encode(errors="surrogatepass")),
            **_about(result),
        }
        owned = Span.objects.filter(
            pk=span.pk, token=call.token, status__in=[Status.APPROVED, Status.SENT]
        )
        now = timezone.now()
        changes = {"owner": "", "lease_expires": None, "ended": now, "status": status}
        settled = turn_open and owned.update(attributes=span.attributes, **changes)
        if not settled:
            span.attributes["late"] = True
            Span.objects.filter(pk=span.pk).update(attributes=span.attributes)
        _store(call, result)
        if settled:
            span.status, span.ended = status, now
            after_commit(partial(_announce, call, _shown(call, result)))
            after_commit(partial(doorbell.ring_turn, call.turn.pk))


def _status(result: ToolResult) -> Span.Status:
    if result.unknown:
        return Status.OUTCOME_UNKNOWN
    return Status.FAILED if result.is_error else Status.SUCCEEDED


def _store(call: Call, result: ToolResult) -> None:
    full = {"content": result.content, "is_error": result.is_error}
    if result.structured is not None:
        full["structured"] = result.structured
    records: list[payloads.Record] = [
        (call.span, "result", dump_json(full).encode(), {}),
        (call.span, "shown", _shown(call, result).encode(errors="surrogatepass"), {}),
    ]
    if call.frames:
        records.append((call.span, "frames", dump_json(call.frames).encode(), {}))
    if call.stderr:
        records.append((call.span, "stderr", "\n".join(call.stderr).encode(), {}))
    payloads.store_all(call.turn.conversation.archive, records)


def _shown(call: Call, result: ToolResult) -> str:
    """What the model reads; what `read_result` read was cut by itself."""
    return result.shown_as(handle_of(call.span))


def _about(result: ToolResult) -> dict[str, Any]:
    """What the engine and the pages need to know of a result without reading it."""
    about: dict[str, Any] = {}
    if result.is_cut:
        about["cut"] = True
    if blocks := content.described(result.content):
        about["blocks"] = blocks
    if images := len(sendable_images(result)):
        about["images"] = images
    if result.structured is not None:
        about["structured"] = True
    return about


def _announce(call: Call, shown: str | None) -> None:
    assert call.span.parent is not None
    events.emit(
        call.turn.conversation.public_id,
        events.call_event(call.turn, call.span.parent.number, call.span, call.arguments, shown),
    )
