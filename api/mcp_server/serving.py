"""The SDK's server behind `/mcp`, without sessions.

Each request is whole in itself, in both eras: the older one allows a server to give no session id
(2025-11-25, Streamable HTTP, session management). So nothing has to be bounded or found again, and
any web process can answer. What needs a session, requests to the client, no tool here makes.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import mcp_types as types
from django.conf import settings
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, ValidationError

from api.mcp_server import gate, prompts, resources
from api.mcp_server.scopes import OF_TOOLS, scope_of
from api.mcp_server.tool import AnyTool, Caller, ToolError
from api.mcp_server.tools import TOOLS
from chat.errors import Rejected
from limits.mcp_server import MAX_MCP_BODY_BYTES
from tokens.access import Access, ScopeMissing
from tracing.errors import PayloadCorrupt

logger = logging.getLogger(__name__)

Context = ServerRequestContext[Any, Any]
# The key in an ASGI scope of who came in: `Access`, and the client's address.
CAME_IN = "roundtrip.mcp"
NAME, TITLE = "roundtrip", "Roundtrip"
INSTRUCTIONS = (
    "Roundtrip records every model call of its conversations and of agents behind its gateway "
    "exactly. To debug an agent: find its trace with search_traces or list_errors, look at it with "
    "read_trace, then at a round with read_round, and at exact bytes with read_stage. "
    "compare_rounds says what changed between two requests. run_playground tries a changed "
    "request, start_turn asks an assistant."
)
BY_NAME = {tool.name: tool for tool in TOOLS}


def make() -> "Server[Any]":
    server: Server[Any] = Server(
        NAME,
        title=TITLE,
        version=settings.VERSION,
        instructions=INSTRUCTIONS,
        get_tool_input_schema=_input_schema,
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=_read_resource,
        on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
    )
    server.middleware.clear()  # spans of OpenTelemetry's, which nobody exports here
    return server


def schema_of(model: type[BaseModel], *, is_input: bool) -> dict[str, Any]:
    schema = model.model_json_schema(mode="validation" if is_input else "serialization")
    # The docstrings are for who reads the code.
    for one in (schema, *schema.get("$defs", {}).values()):
        one.pop("description", None)
    return schema


def described(tool: AnyTool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=schema_of(tool.arguments, is_input=True),
        output_schema=schema_of(tool.result, is_input=False),
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.is_read_only,
            destructive_hint=False,
            idempotent_hint=tool.is_read_only,
            open_world_hint=tool.is_open,
        ),
    )


LISTED = [described(tool) for tool in TOOLS]
_SCHEMAS = {tool.name: tool.input_schema for tool in LISTED}


def _input_schema(name: str) -> dict[str, Any] | None:
    return _SCHEMAS.get(name)


def _caller(context: Context) -> Caller:
    request = context.request
    assert request is not None  # every transport here is HTTP
    access, address = request.scope[CAME_IN]
    base = gate.base_url(gate.header(request.scope, b"host"))
    return Caller(access, address, base, context.session.report_progress)


async def _list_tools(context: Context, _: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=LISTED)


async def _call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    tool = BY_NAME.get(params.name)
    if tool is None:
        raise MCPError(types.INVALID_PARAMS, f"There is no tool {params.name[:100]!r}. List them.")
    caller = _caller(context)
    try:
        _require(caller.access, "tools/call", tool.name)
        arguments = tool.arguments.model_validate(params.arguments or {})
        result = await tool.run(caller, arguments)
    except ValidationError as error:
        return _error(_problems(error))
    except (ToolError, Rejected, ScopeMissing) as error:
        return _error(str(error))
    except PayloadCorrupt as error:
        return _error(f"The stored data is damaged: {error.reason}.")
    except Exception:
        logger.exception("The tool %s of /mcp failed", tool.name)
        return _error("The server failed at this call; its log says why. Try it with other ids.")
    content = result.model_dump(mode="json", exclude_none=True)
    text = types.TextContent(text=result.model_dump_json(exclude_none=True))
    return types.CallToolResult(content=[text], structured_content=content)


def _require(access: Access, method: str, name: str = "") -> None:
    if (needed := scope_of(method, name)) is not None:
        access.require(needed)


def _error(sentence: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=sentence)], is_error=True)


def _problems(error: ValidationError) -> str:
    lines = [
        f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}"
        for one in error.errors(include_url=False, include_input=False)[:10]
    ]
    return "Correct the arguments and call again. " + "; ".join(lines)


async def _as_protocol(work: Any) -> Any:
    """What a resource or a prompt gives; refusals are errors of the protocol."""
    try:
        return await work
    except (ToolError, Rejected) as error:
        raise MCPError(types.INVALID_PARAMS, str(error)) from None
    except PayloadCorrupt as error:
        raise MCPError(types.INTERNAL_ERROR, f"The data is damaged: {error.reason}.") from None


def _reader(context: Context, method: str) -> Caller:
    caller = _caller(context)
    try:
        _require(caller.access, method)
    except ScopeMissing as error:
        raise MCPError(types.INVALID_REQUEST, str(error)) from None
    return caller


async def _list_resources(
    context: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourcesResult:
    caller = _reader(context, "resources/list")
    cursor = params.cursor if params else None
    listed: types.ListResourcesResult = await _as_protocol(resources.listed(caller, cursor))
    return listed


async def _list_templates(context: Context, _: Any) -> types.ListResourceTemplatesResult:
    return types.ListResourceTemplatesResult(resource_templates=resources.TEMPLATES)


async def _read_resource(
    context: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    caller = _reader(context, "resources/read")
    read: types.ReadResourceResult = await _as_protocol(resources.read(caller, str(params.uri)))
    return read


async def _list_prompts(context: Context, _: Any) -> types.ListPromptsResult:
    return types.ListPromptsResult(prompts=prompts.PROMPTS)


async def _get_prompt(
    context: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult:
    caller = _reader(context, "prompts/get")
    given: types.GetPromptResult = await _as_protocol(
        prompts.get(caller, params.name, params.arguments or {})
    )
    return given


class Running:
    """The SDK's manager on one event loop: a task of its own holds it open, since it has to be
    entered and left by the same one."""

    def __init__(self, make_server: Callable[[], "Server[Any]"]) -> None:
        self._manager = StreamableHTTPSessionManager(
            make_server(), stateless=True, max_request_body_size=MAX_MCP_BODY_BYTES
        )
        self._is_open = asyncio.Event()
        self._task = asyncio.create_task(self._hold())

    async def handle(self, scope: Any, receive: Any, send: Any) -> None:
        await self._is_open.wait()
        await self._manager.handle_request(scope, receive, send)

    async def _hold(self) -> None:
        async with self._manager.run():
            self._is_open.set()
            await asyncio.Event().wait()  # until the loop ends


_running: WeakKeyDictionary[asyncio.AbstractEventLoop, Running] = WeakKeyDictionary()


async def handle(scope: Any, receive: Any, send: Any) -> None:
    """Answers a request of somebody whom `application` let in (`CAME_IN` in the scope)."""
    loop = asyncio.get_running_loop()
    if loop not in _running:
        _running[loop] = Running(make)
    await _running[loop].handle(scope, receive, send)


assert set(OF_TOOLS) == set(BY_NAME), "every tool needs a scope"
