"""What tests of sessions share: configurations of the test servers, and calls of their tools."""

import sys
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings

from tests import patience
from tools import loop
from tools.calls import execution
from tools.mcp import listing
from tools.models import Server
from tools.values.call import CallContext, ToolResult
from tools.values.server_config import ServerConfig
from tools.values.tool import Tool

ODD = Path(__file__).with_name("servers") / "odd.py"


def odd(*options: str, **changes: Any) -> ServerConfig:
    """The server that misbehaves on demand."""
    program = (str(ODD), *options)
    config = ServerConfig("odd", "stdio", command=sys.executable, args=program, timeout_s=20.0)
    return replace(config, **changes)


def sqlite(path: str = "{workspace}/test.sqlite3") -> ServerConfig:
    """Our own server, with the article's tables."""
    module = ("-m", "tools.mcp.servers.sqlite", "--db-path", path, "--seed", "walkthrough")
    return ServerConfig(
        name="sqlite",
        transport="stdio",
        command=sys.executable,
        args=module,
        cwd=str(settings.BASE_DIR),
    )


_findings: dict[tuple[str, tuple[str, ...]], listing.Finding] = {}


def store_listing(server: Server) -> None:
    """Stores what the server's program lists, which is started for it once a process."""
    config = server.config()
    program = (config.command, tuple(config.args))
    if program not in _findings:
        _findings[program] = listing.look(config)
        assert not _findings[program].error
    listing.store(server, _findings[program])


class Caller:
    """Calls tools of servers in one workspace, as the engine does: from another thread."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace

    def context(self, **changes: Any) -> CallContext:
        return replace(
            CallContext(self.workspace, deadline_s=20.0, frames=[], stderr=[]), **changes
        )

    def start(
        self, config: ServerConfig, tool: str, context: CallContext, **arguments: Any
    ) -> Future[ToolResult]:
        offered = Tool(f"{config.name}-{tool}", "", {}, config.name, tool, config=config)
        return loop.submit(execution.execute_tool(offered, arguments, context))

    def call(
        self, config: ServerConfig, tool: str, context: CallContext | None = None, **arguments: Any
    ) -> ToolResult:
        call = self.start(config, tool, context or self.context(), **arguments)
        return call.result(patience.SECONDS)


def ignoring(function: Callable[[], None]) -> Callable[..., Any]:
    """`function` as a `before_send`."""

    async def before_send() -> None:
        function()

    return before_send
