"""A run for the public conformance suite of MCP clients: every tool of one server is called once.

    node … client --command "python manage.py mcp conformance" --requirements 2026-07-28

Nothing here speaks MCP: a registered server's rows (never stored), the pool, a call and its
recorded frames are those of a chat. What differs is the person, who agrees to everything: an
automatic browser signs in, and questions are answered with their schema's defaults.
Source: https://github.com/modelcontextprotocol/conformance, README, "Client Testing".
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import mcp_types
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from limits.mcp import MAX_CONFORMANCE_S
from tools.calls import execution
from tools.errors import ConnectionFailed
from tools.mcp import pool
from tools.mcp.listing import fingerprint
from tools.mcp.oauth import Client, Memory, Provider
from tools.mcp.sdk import AuthorizationCodeResult, OAuthFlowError
from tools.mcp.transports.http import transport
from tools.models import Server, ServerTool
from tools.values.call import CallContext, Frame, ToolResult
from tools.values.questions import URL, Answered, Asked
from tools.values.server_config import ServerConfig
from tools.values.tool import Tool

# The suite knows this description of a client, and serves no other.
CLIENT = Client(
    redirect_uri="http://localhost:3000/oauth/callback",
    metadata_url="https://conformance-test.local/client-metadata.json",
)
DUMMIES: dict[str, Any] = {
    "string": "text",
    "number": 1.5,
    "integer": 1,
    "boolean": True,
    "array": [],
    "object": {},
    "null": None,
}


@dataclass(frozen=True)
class Run:
    """What the suite asks for: where to connect, as which revision, and with what context."""

    url: str
    revision: str = ""
    context: Mapping[str, Any] = field(default_factory=dict)

    @property
    def server(self) -> Server:
        """As somebody would register it; it is never stored."""
        is_legacy = self.revision in HANDSHAKE_PROTOCOL_VERSIONS
        return Server(
            name="conformance",
            transport=Server.Transport.HTTP,
            url=self.url,
            mode=Server.Mode.LEGACY if is_legacy else Server.Mode.AUTO,
            timeout_s=20,
            allow_private=True,  # the suite's servers are on this machine
            policy="allow",
        )

    @property
    def client(self) -> Client:
        registered = self.context.get("client_id"), self.context.get("client_secret")
        if not all(registered):
            return CLIENT
        return Client(CLIENT.redirect_uri, id=str(registered[0]), secret=str(registered[1]))


@dataclass(frozen=True)
class CallRecord:
    """One call and what came of it."""

    tool: str
    result: ToolResult
    frames: Sequence[Frame]


async def run(asked: Run, workspace: Path) -> list[CallRecord]:
    """Connect, list all tools, call them. Raises `ConnectionFailed`."""
    try:
        async with asyncio.timeout(MAX_CONFORMANCE_S):
            return await _run(asked, workspace)
    except TimeoutError:
        raise ConnectionFailed(f"did not end within {MAX_CONFORMANCE_S:g} s") from None


async def _run(asked: Run, workspace: Path) -> list[CallRecord]:
    server = asked.server
    config = replace(server.config(), sign_in=_AutomaticSignIn(asked.client))
    async with pool.of_loop().connection(config, workspace) as (connection, _):
        tools = {tool.name: _offered(server, tool, config) for tool in connection.tools}
    return [
        await _call_recorded(tools[name], arguments, workspace)
        for name, arguments in _wanted(asked.context, tools)
    ]


def _offered(server: Server, tool: mcp_types.Tool, config: ServerConfig) -> Tool:
    """The tool as the registry gives it."""
    row = ServerTool(
        server=server,
        name=tool.name,
        description=tool.description or "",
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        hash=fingerprint(tool),
    )
    return replace(row.as_tool(), config=config)


async def _call_recorded(tool: Tool, arguments: dict[str, Any], workspace: Path) -> CallRecord:
    context = CallContext(workspace, call_id=tool.tool, deadline_s=MAX_CONFORMANCE_S, ask=_agree)
    result = await execution.execute_tool(tool, arguments, context)
    return CallRecord(tool.tool, result, context.frames)


def _wanted(
    context: Mapping[str, Any], tools: Mapping[str, Tool]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The calls to make: those of the context, else each tool once."""
    schemas = {name: tool.parameters for name, tool in tools.items()}
    if calls := context.get("toolCalls"):
        yield from ((call["name"], call["arguments"]) for call in calls if call["name"] in schemas)
        return
    for name, schema in schemas.items():
        yield name, _arguments(name, schema, schemas)


def _arguments(
    name: str, schema: Mapping[str, Any], schemas: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    if name == "add_numbers":
        return {"a": 5, "b": 3}
    if name == "json_schema_echo":
        return {"schema": schemas.get("json_schema_2020_12_tool", {})}
    properties = schema.get("properties") or {}
    return {key: _dummy(properties.get(key)) for key in schema.get("required") or []}


def _dummy(schema: Any) -> Any:
    """A value of the schema's type, its default or first choice if it has one."""
    if not isinstance(schema, dict):
        return "text"
    if "default" in schema:
        return schema["default"]
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type", "string")
    return DUMMIES.get(kind[0] if isinstance(kind, list) else kind, "text")


async def _agree(asked: Asked) -> Answered:
    """What somebody sends who fills in nothing."""
    if asked.kind == URL:
        return Answered("accept")
    properties = (asked.schema or {}).get("properties") or {}
    required = (asked.schema or {}).get("required") or []
    content = {
        key: _dummy(schema)
        for key, schema in properties.items()
        if key in required or "default" in schema or schema.get("type") == "boolean"
    }
    return Answered("accept", content)


class _AutomaticSignIn:
    """Signs in without a person, and forgets it afterwards."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._storage = Memory(client)

    def __call__(self, config: ServerConfig) -> httpx2.Auth:
        return Provider(config, self._client, self._storage, _AutomaticBrowser())


class _AutomaticBrowser:
    """Reads where the authorization server sends it, and follows nothing."""

    def __init__(self) -> None:
        self._location = ""

    async def open(self, url: str) -> None:
        async with httpx2.AsyncClient(transport=transport(allow_private=True)) as client:
            response = await client.get(url, follow_redirects=False)
        self._location = response.headers.get("location", "")

    async def returned(self) -> AuthorizationCodeResult:
        given = {key: values[0] for key, values in parse_qs(urlsplit(self._location).query).items()}
        if "error" in given:
            raise OAuthFlowError(f"the authorization server answered {given['error']}")
        return AuthorizationCodeResult(
            code=given.get("code", ""), state=given.get("state"), iss=given.get("iss")
        )
