"""Looking at a server and keeping what it answered, so that a chat never has to ask.

Everything that goes wrong is a finding, not an exception: a dead server is a badge, not a delay.
"""

import hashlib
import json
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import mcp_types
from django.db import transaction
from django.utils import timezone
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from tools import contacts, loop
from tools.errors import ConnectionFailed
from tools.mcp.config import ServerConfig
from tools.mcp.connection import CONNECT_S, Connection
from tools.mcp.prompts import listed_prompts
from tools.mcp.resources import Listed, listed_resources
from tools.models import Server, ServerContact, ServerTool
from tools.review import approve
from tracing.fields import storable

WATCHED_EVERY_S = 0.3
LONGEST_NAME = 200  # characters; no provider takes a tool name of even half of that


@dataclass(frozen=True)
class Finding:
    """What one look at a server found: what it said, or why there was no session."""

    error: str = ""
    stderr: str = ""
    latency_ms: int | None = None
    name: str = ""
    version: str = ""
    protocol: str = ""
    instructions: str = ""
    tools: Sequence[mcp_types.Tool] = field(default_factory=tuple)
    resources: Listed = field(default_factory=list)
    prompts: Listed = field(default_factory=list)

    @property
    def era(self) -> str:
        return "legacy" if self.protocol in HANDSHAKE_PROTOCOL_VERSIONS else "modern"


def refresh(server: Server) -> Finding:
    """Look at `server` and keep what was found."""
    finding = look(server.config())
    store(server, finding)
    return finding


def look(config: ServerConfig, watch: Callable[[Connection], None] | None = None) -> Finding:
    """Connect, list the tools, disconnect; waits in this thread.

    `watch` is called here with the connection, a few times a second and once at the end.
    """
    longest = max(CONNECT_S, config.timeout_s) + 20
    made: list[Connection] = []
    looking = loop.submit(_look(config, made))
    try:
        if watch is not None:
            _watch(looking, made, watch, time.monotonic() + longest)
        return looking.result(longest if watch is None else 0)
    except TimeoutError:
        return Finding(error=f"did not answer within {longest:g} s")
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


async def _look(config: ServerConfig, made: list[Connection]) -> Finding:
    with tempfile.TemporaryDirectory(prefix="roundtrip-", ignore_cleanup_errors=True) as folder:
        # The era is found out anew: the server may have been updated.
        connection = Connection(replace(config, era="").placed(Path(folder)))
        made.append(connection)
        try:
            return await ask(connection)
        finally:
            await connection.close()


async def ask(connection: Connection) -> Finding:
    """What a connection that is being opened finds."""
    # Over HTTP the log only says why a session failed; an old server refuses the first probe.
    is_stdio = connection.config.transport == Server.Transport.STDIO
    try:
        client = await connection.opened()
    except ConnectionFailed as failure:
        return Finding(error=failure.reason, stderr=failure.stderr)
    about = client.server_info
    return Finding(
        stderr=connection.carrier.stderr.since() if is_stdio else "",
        latency_ms=connection.opened_ms,
        name=about.name if about else "",
        version=about.version if about else "",
        protocol=client.protocol_version,
        instructions=client.instructions or "",
        tools=connection.tools,
        resources=await listed_resources(client),
        prompts=await listed_prompts(client),
    )


@transaction.atomic
def store(server: Server, finding: Finding) -> None:
    """Keep a finding in the rows of `server`; a failed look leaves the known tools as they are."""
    now = timezone.now()
    contacts.record(
        server,
        ServerContact.Purpose.CHECK,
        error=finding.error,
        latency_ms=finding.latency_ms,
    )
    row = Server.objects.filter(pk=server.pk)
    is_first = row.filter(tools_listed=None).exists()
    row.update(last_error=storable(finding.error), last_stderr=storable(finding.stderr))
    # Where it was asked for again meanwhile, that look is still to come.
    row.exclude(check_state=Server.Check.ASKED).update(
        check_state=Server.Check.FAILED if finding.error else Server.Check.SUCCEEDED,
        check_changed=now,
    )
    if not finding.error:
        row.update(
            era=finding.era,
            server_name=storable(finding.name)[:200],
            server_version=storable(finding.version)[:200],
            protocol=finding.protocol,
            instructions=storable(finding.instructions),
            latency_ms=finding.latency_ms,
            last_contact=now,
            tools_listed=now,
            resources=finding.resources,
            prompts=finding.prompts,
        )
        _store_tools(server, finding.tools, approved=is_first)


@transaction.atomic
def _store_tools(server: Server, listed: Sequence[mcp_types.Tool], *, approved: bool) -> None:
    """The rows become the list; a tool that stays keeps its switch.

    Whoever registers a server agrees to what it lists first. What it lists later, and not in the
    same words, waits until somebody has looked at it.
    """
    tools: dict[str, mcp_types.Tool] = {}
    for tool in listed:
        # A name is called as it is, so what cannot be stored cannot be called.
        if len(tool.name) <= LONGEST_NAME and tool.name == storable(tool.name):
            tools.setdefault(tool.name, tool)  # of two with one name only one can be called
    server.tools.exclude(name__in=tools).delete()
    for position, tool in enumerate(tools.values()):
        ServerTool.objects.update_or_create(
            server=server,
            name=tool.name,
            defaults={
                "position": position,
                "title": storable(tool.title or "")[:200],
                "description": storable(tool.description or ""),
                "input_schema": tool.input_schema,
                "output_schema": tool.output_schema,
                "annotations": _annotations(tool),
                "hash": fingerprint(tool),
            },
        )
    if approved:
        approve(server.tools.all())


def _annotations(tool: mcp_types.Tool) -> dict[str, Any] | None:
    """Hints only: a server says what it likes of itself."""
    if tool.annotations is None:
        return None
    return tool.annotations.model_dump(by_alias=True, mode="json", exclude_none=True)


def fingerprint(tool: mcp_types.Tool) -> str:
    """A hash of all that a model or an admin judges a tool by; it changes when any of it does."""
    seen = [tool.name, tool.description, tool.input_schema, tool.output_schema]
    return hashlib.sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()
