"""Looking at a server and keeping what it answered, so that a chat never has to ask.

Everything that goes wrong is a finding, not an exception: a dead server is a badge, not a delay.
"""

import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import mcp_types

from limits.mcp import MAX_CONNECT_S, MAX_LIST_WAIT_S
from tools import loop
from tools.errors import ConnectionFailed, Failure, FailureKind
from tools.mcp import pool
from tools.mcp.connection import Connection
from tools.mcp.findings import Finding, fingerprint, store
from tools.mcp.prompts import listed_prompts
from tools.mcp.resources import listed_resources
from tools.models import Server
from tools.values.server_config import ServerConfig

__all__ = ["Finding", "ask", "fingerprint", "look", "refresh", "store", "with_open_sessions"]

WATCHED_EVERY_S = 0.3


def refresh(server: Server) -> Finding:
    """Look at `server` and keep what was found."""
    finding = look(server.config())
    store(server, finding)
    return finding


def look(
    config: ServerConfig,
    watch: Callable[[Connection], None] | None = None,
    connect_s: float = MAX_CONNECT_S,
) -> Finding:
    """Connect within so many seconds, list the tools, disconnect; waits in this thread.

    `watch` is called here with the connection, a few times a second and once at the end.
    """
    longest = max(connect_s, config.timeout_s) + 20
    made: list[Connection] = []
    looking = loop.submit(_look(config, made, connect_s))
    try:
        if watch is not None:
            _watch(looking, made, watch, time.monotonic() + longest)
        return looking.result(longest if watch is None else 0)
    except TimeoutError:
        return Finding(Failure(f"did not answer within {longest:g} s", FailureKind.TIMEOUT))
    finally:
        looking.cancel()


def _watch(
    looking: Future[Finding],
    made: list[Connection],
    watch: Callable[[Connection], None],
    until: float,
) -> None:
    over = threading.Event()
    looking.add_done_callback(lambda _: over.set())
    while not over.wait(WATCHED_EVERY_S) and time.monotonic() < until:
        for connection in made:
            watch(connection)
    for connection in made:
        watch(connection)


async def _look(config: ServerConfig, made: list[Connection], connect_s: float) -> Finding:
    with tempfile.TemporaryDirectory(prefix="roundtrip-", ignore_cleanup_errors=True) as folder:
        # The era is found out anew: the server may have been updated.
        placed = replace(config, era="").placed(Path(folder))
        connection = Connection(placed, connect_s=connect_s)
        made.append(connection)
        try:
            return await ask(connection)
        finally:
            await connection.close()


def with_open_sessions(finding: Finding, config: ServerConfig) -> Finding:
    """The finding with the tools that are only there in sessions that are open now."""
    if finding.error:
        return finding
    changed = loop.run(_changed_tools(config), MAX_LIST_WAIT_S)
    return replace(finding, tools=pool.merged(finding.tools, changed))


async def _changed_tools(config: ServerConfig) -> list[mcp_types.Tool]:
    return pool.of_loop().changed_tools(config)


async def ask(connection: Connection) -> Finding:
    """What a connection that is being opened finds."""
    # Over HTTP the log only says why a session failed; an old server refuses the first probe.
    is_stdio = connection.config.transport == Server.Transport.STDIO
    try:
        client = await connection.opened()
    except ConnectionFailed as error:
        return Finding(error.failure, error.stderr)
    about, notes = client.server_info, list(connection.list_notes)
    resources = await listed_resources(client, notes)
    prompts = await listed_prompts(client, notes)
    return Finding(
        stderr=connection.carrier.stderr.since() if is_stdio else "",
        latency_ms=connection.opened_ms,
        name=about.name if about else "",
        version=about.version if about else "",
        protocol=client.protocol_version,
        instructions=client.instructions or "",
        tools=connection.tools,
        resources=resources,
        prompts=prompts,
        notes=notes,
    )
