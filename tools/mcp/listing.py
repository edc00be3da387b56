"""Checking a server: connect, list, disconnect, and store the lists, so that a chat never waits.

A failure is a finding, not an exception: a dead server is a badge on its page, not a delay.
"""

import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import mcp_types

from languages.stored import stored
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
    """Checks `server` and stores the finding."""
    finding = look(server.config())
    store(server, finding)
    return finding


def look(
    config: ServerConfig,
    watch: Callable[[Connection], None] | None = None,
    connect_s: float = MAX_CONNECT_S,
) -> Finding:
    """Connects within `connect_s` seconds, lists the tools, disconnects; blocks this thread.

    `watch` is called in this thread with the connection, every `WATCHED_EVERY_S` and at the end.
    """
    longest_s = max(connect_s, config.timeout_s) + 20
    connections: list[Connection] = []
    future = loop.submit(_look(config, connections, connect_s))
    try:
        if watch is not None:
            _watch(future, connections, watch, time.monotonic() + longest_s)
        return future.result(longest_s if watch is None else 0)
    except TimeoutError:
        return Finding(
            Failure(
                stored("did not answer within %(longest_s)s s", longest_s=f"{longest_s:g}"),
                FailureKind.TIMEOUT,
            )
        )
    finally:
        future.cancel()


def _watch(
    future: Future[Finding],
    connections: list[Connection],
    watch: Callable[[Connection], None],
    until: float,
) -> None:
    over = threading.Event()
    future.add_done_callback(lambda _: over.set())
    while not over.wait(WATCHED_EVERY_S) and time.monotonic() < until:
        for connection in connections:
            watch(connection)
    for connection in connections:
        watch(connection)


async def _look(config: ServerConfig, connections: list[Connection], connect_s: float) -> Finding:
    with tempfile.TemporaryDirectory(prefix="roundtrip-", ignore_cleanup_errors=True) as folder:
        # The era is probed again: the server may have been updated.
        placed = replace(config, era="").placed(Path(folder))
        connection = Connection(placed, connect_s=connect_s)
        connections.append(connection)
        try:
            return await ask(connection)
        finally:
            await connection.close()


def with_open_sessions(finding: Finding, config: ServerConfig) -> Finding:
    """The finding, with the tools that only sessions open now have."""
    if finding.error:
        return finding
    changed = loop.run(_changed_tools(config), MAX_LIST_WAIT_S)
    return replace(finding, tools=pool.merged(finding.tools, changed))


async def _changed_tools(config: ServerConfig) -> list[mcp_types.Tool]:
    return pool.of_loop().changed_tools(config)


async def ask(connection: Connection) -> Finding:
    """The finding of a connection that is being opened."""
    # Over HTTP the log has nothing but refusals, and an old server refuses the first probe.
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
