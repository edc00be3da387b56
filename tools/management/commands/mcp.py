"""`manage.py mcp list | tools SERVER | call SERVER TOOL [JSON] | conformance URL`: servers from the
terminal.

The same path as a chat's: the registry, the pool, a call, recorded frames.
"""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tools import loop
from tools.calls import execution
from tools.catalogue import registry
from tools.errors import ConnectionFailed
from tools.management import conformance
from tools.mcp import listing
from tools.models import Server, ServerTool
from tools.values.call import CallContext, ToolResult
from tracing.formatting.text import with_full_stop


class Command(BaseCommand):
    help = "Lists registered MCP servers, asks one for its tools, or calls a tool."
    requires_system_checks = ()  # of pages, which take longer than a call

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        actions.add_parser("list", help="the registered servers")
        tools = actions.add_parser("tools", help="connect, and list the tools of a server")
        tools.add_argument("server")
        call = actions.add_parser("call", help="call a tool and print what a model would be shown")
        call.add_argument("server")
        call.add_argument("tool")
        call.add_argument("arguments", nargs="?", default="{}", help="a JSON object")
        call.add_argument("--frames", action="store_true", help="print the JSON-RPC frames too")
        call.add_argument("--workspace", type=Path, help="what {workspace} stands for")
        call.add_argument("--timeout", type=float, default=60.0, help="seconds")
        conformance = actions.add_parser(
            "conformance", help="a run for the public conformance suite of MCP clients"
        )
        conformance.add_argument("url")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            match options["action"]:
                case "list":
                    self._print_servers()
                case "tools":
                    self._print_tools(options["server"])
                case "call":
                    self._call_tool(options)
                case "conformance":
                    self._run_conformance(options["url"])
        finally:
            loop.close()

    def _print_servers(self) -> None:
        for server in Server.objects.all():
            state = server.check_state if server.enabled else "off"
            self.stdout.write(f"{server.name:20} {state:10} {server.address}")

    def _print_tools(self, name: str) -> None:
        server = Server.objects.filter(name=name).first()
        if server is None:
            raise CommandError(f"No server is registered as {name!r}.")
        finding = listing.refresh(server)
        self.stderr.write(finding.stderr, ending="")
        if finding.error:
            raise CommandError(f"No connection: {with_full_stop(finding.error)}")
        self.stdout.write(f"{finding.name} {finding.version}, protocol {finding.protocol}")
        for tool in finding.tools:
            self.stdout.write(f"{tool.name}\n  {tool.description or ''}")
            self.stdout.write(f"  {json.dumps(tool.input_schema, ensure_ascii=False)}")

    def _run_conformance(self, url: str) -> None:
        """What the suite wants is in its environment variables; a failing tool is a result."""
        run = conformance.Run(
            url,
            os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION", ""),
            json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}"),
        )
        with tempfile.TemporaryDirectory(prefix="roundtrip-") as folder:
            try:
                calls = loop.run(conformance.run(run, Path(folder)))
            except ConnectionFailed as failure:
                self.stderr.write(failure.stderr, ending="")
                raise CommandError(f"No connection: {with_full_stop(failure.reason)}") from failure
        for call in calls:
            state = "error" if call.result.is_error else "ok"
            self.stdout.write(f"{call.tool} {state} {len(call.frames)} frames")
            self.stdout.write(call.result.shown)

    def _call_tool(self, options: dict[str, Any]) -> None:
        # By the name that `tools` prints, or by the one under which it is offered to models.
        rows = ServerTool.objects.callable().filter(server__name=options["server"])
        row = rows.filter(name=options["tool"]).first()
        name = f"{options['server']}-{options['tool']}"
        tool = row.as_tool() if row else registry.find(name)
        if tool is None:
            offered = [offered.name for offered in registry.offered([f"{options['server']}-*"])]
            raise CommandError(execution.unknown_tool(name, offered).text)
        arguments = execution.parse_arguments(tool, options["arguments"])
        if isinstance(arguments, ToolResult):
            raise CommandError(arguments.text)
        with tempfile.TemporaryDirectory(prefix="roundtrip-") as folder:
            workspace = options["workspace"] or Path(folder)
            context = CallContext(workspace, deadline_s=options["timeout"])
            result = loop.run(execution.execute_tool(tool, arguments, context))
        for frame in context.frames if options["frames"] else ():
            self.stdout.write(f"{frame['direction']:8} {json.dumps(frame['message'])}")
        for line in context.stderr:
            self.stderr.write(line)
        if result.is_error:
            raise CommandError(result.shown)
        self.stdout.write(result.shown)
