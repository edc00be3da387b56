"""Trying a connection or a tool in the `tools` worker, through the same path as a conversation."""

import logging
import tempfile
import threading
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

import jobs
from db.fields import dump_json
from languages.stored import stored
from limits.mcp import MAX_CONNECT_S, MAX_FIRST_START_S
from limits.tools import MAX_TRIAL_RESULT, MAX_TRIED_TOOLS
from tools import loop
from tools.accounts.sessions import signed_in
from tools.calls import execution
from tools.errors import OUR_FAULT
from tools.health import contacts
from tools.mcp import listing
from tools.mcp.connection import Connection
from tools.mcp.listing import Finding
from tools.models import ServerTool, Trial
from tools.trials import trials
from tools.trials.log import TrialLog
from tools.trials.trace import TrialTrace
from tools.trials.trials import TRIAL
from tools.values.advice import Known, advice
from tools.values.call import CallContext, ToolResult
from tools.values.server_config import ServerConfig
from tools.values.tool import Tool

logger = logging.getLogger(__name__)

SAMPLE_S = 0.3
GONE = stored(
    "This tool is no longer available: it was switched off or removed, or needs a review."
)


def run(trial_pk: int) -> None:
    """Runs a trial, unless another worker has taken it."""
    trial = trials.take(trial_pk)
    if trial is None:
        return
    try:
        with jobs.keep_alive(TRIAL, trial):
            if trial.kind == Trial.Kind.CALL:
                _try_tool(trial)
            else:
                _try_connection(trial)
    except Exception:
        logger.exception("the trial %s failed", trial)
        jobs.finish(TRIAL, trial, f"{OUR_FAULT}.")


def look(
    config: ServerConfig,
    trial: Trial,
    *,
    is_first: bool = False,
) -> Finding:
    """Checks a server, and writes the trial's log meanwhile.

    The first start of a program has a longer limit, since it may have to be downloaded.
    """
    downloads = is_first and bool(config.command)
    log = TrialLog(trial.pk)
    log.say("step", f"{'Starting' if config.command else 'Connecting to'} {_address(config)}")
    log.write()
    _close_database()

    def watch(seen: Connection) -> None:
        log.frames(seen.journal.opening)
        log.stderr(seen.carrier.stderr)
        log.write()

    finding = listing.look(config, watch, MAX_FIRST_START_S if downloads else MAX_CONNECT_S)
    if finding.error:
        log.say("failed", finding.error, finding.stderr)
    else:
        for note in finding.notes:
            log.say("step", note)
        log.say(
            "done",
            stored(
                "Listed %(count)s tools in %(latency_ms)s ms.",
                count=len(finding.tools),
                latency_ms=finding.latency_ms,
            ),
        )
    log.write()
    return finding


def _try_connection(trial: Trial) -> None:
    config = trials.config_of(trial)
    finding = look(config, trial, is_first=True)
    known = Known(config.transport, config.command, has_headers=bool(config.headers))
    what_to_do = advice(finding.failure, known) if finding.failure else ""
    jobs.finish(TRIAL, trial, finding.error, found=_found(finding, what_to_do))


def _found(finding: Finding, advised: str) -> dict[str, Any]:
    """What a page shows of a server that is not registered yet."""
    return {
        "advice": advised,
        "name": finding.name,
        "version": finding.version,
        "protocol": finding.protocol,
        "instructions": finding.instructions[:MAX_TRIAL_RESULT],
        "latency_ms": finding.latency_ms,
        "stderr": finding.stderr,
        "notes": list(finding.notes),
        "tools": [
            {
                "name": tool.name,
                "description": tool.description or "",
                "input_schema": tool.input_schema,
                "output_schema": tool.output_schema,
            }
            for tool in finding.tools[:MAX_TRIED_TOOLS]
        ],
    }


def _try_tool(trial: Trial) -> None:
    row = _row(trial)
    if row is None:
        jobs.finish(TRIAL, trial, GONE)
        return
    tool = signed_in(row.as_tool(), trial.user_id)
    trace = TrialTrace.begin(trial, row)
    log = TrialLog(trial.pk)
    log.say("step", stored("Calling %(name)s of %(name_2)s", name=row.name, name_2=row.server.name))
    log.write()
    result, context = _result(tool, trial, log)
    trace.finish(result, context.frames, context.stderr, context.timing)
    error, failure = result.text[:500] if result.is_error else "", result.failure
    jobs.finish(
        TRIAL,
        trial,
        error,
        found=_shown(result),
        error_kind=failure.kind if failure else "",
        error_status=failure.status if failure else None,
    )


def _row(trial: Trial) -> ServerTool | None:
    """The tool; None if this user may not use it any more, or it waits for a review."""
    assert trial.user is not None  # who asked
    rows = ServerTool.objects.callable().for_user(trial.user)
    return rows.filter(server=trial.server, name=trial.tool).first()


def _result(tool: Tool, trial: Trial, log: TrialLog) -> tuple[ToolResult, CallContext]:
    with tempfile.TemporaryDirectory(prefix="roundtrip-", ignore_cleanup_errors=True) as folder:
        context = CallContext(
            workspace=Path(folder),
            timezone=settings.TIME_ZONE,
            call_id=str(trial.public_id),
            deadline_s=settings.TOOL_DEADLINE,
        )
        arguments = execution.parse_arguments(tool, trial.arguments)
        if isinstance(arguments, ToolResult):
            log.say("failed", stored("The arguments do not fit the schema; nothing was sent."))
            log.write()
            return arguments, context
        _close_database()
        future = loop.submit(execution.execute_tool(tool, arguments, context))
        _follow(future, context, log)
        contacts.record_call(context.timing)
        return future.result(), context


def _follow(future: "Future[ToolResult]", context: CallContext, log: TrialLog) -> None:
    """Logs frames until the call is over."""
    over = threading.Event()
    future.add_done_callback(lambda _: over.set())
    while not over.wait(SAMPLE_S):
        log.frames(list(context.frames))
        log.write()
        _close_database()
    log.frames(list(context.frames))
    for line in context.stderr[-100:]:
        log.say("stderr", line)
    with suppress(Exception):
        log.say("failed" if future.result().is_error else "done", stored("The call is over."))
    log.write()


def _shown(result: ToolResult) -> dict[str, Any]:
    """The result as the page shows it."""
    whole = {"content": result.content, "structured": result.structured, "error": result.is_error}
    if len(dump_json(whole)) <= MAX_TRIAL_RESULT:
        return whole
    return {"content": [{"type": "text", "text": result.shown}], "cut": True} | {
        "structured": None,
        "error": result.is_error,
    }


def _address(config: ServerConfig) -> str:
    return config.url or " ".join([config.command, *config.args])


def _close_database() -> None:
    """Closes this thread's database connection before a wait of up to a minute."""
    if not connection.in_atomic_block:
        connection.close()
