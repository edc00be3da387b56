"""The attributes of a tool call, `execute_tool {tool}`: OpenInference's kind TOOL.

A call of an MCP server has MCP's attributes on this span and no span of its own below it, as the
convention asks if the outer call is traced already.
"""

from collections.abc import Mapping
from typing import Any

from db.fields import dump_json
from tracing.export.otlp.content import Contents, result_value
from tracing.export.otlp.limits import cut, cut_all
from tracing.export.otlp.messages import arguments_of
from tracing.export.otlp.otlp_span import Attributes
from tracing.models import Span
from tracing.models.attributes import call_attributes


def tool_call_attributes(span: Span, contents: Contents) -> Attributes:
    recorded = call_attributes(span)
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": cut(span.name),
        "gen_ai.tool.type": "extension" if recorded.get("server") else "function",
        "gen_ai.tool.call.id": cut(str(recorded.get("call_id") or "")),
        "openinference.span.kind": "TOOL",
        "tool.name": cut(span.name),
        **_definition(contents.definition(span)),
        **(_mcp(recorded) if recorded.get("server") else {}),
        **(_content(span, contents) if contents.allowed else {}),
    }


def _definition(function: dict[str, Any]) -> Attributes:
    result: Attributes = {}
    if isinstance(description := function.get("description"), str) and description:
        result["gen_ai.tool.description"] = result["tool.description"] = cut(description)
    if isinstance(parameters := function.get("parameters"), dict):
        result["tool.parameters"] = dump_json(cut_all(parameters))
    return result


def _mcp(recorded: Mapping[str, Any]) -> Attributes:
    call = _object(recorded.get("mcp"))
    timing = _object(recorded.get("timing"))
    values = {
        "mcp.protocol.version": timing.get("protocol"),
        "mcp.session.id": call.get("session"),
        "jsonrpc.request.id": call.get("request"),
        "network.transport": _transport(call.get("transport")),
        "server.address": call.get("host"),
        "server.port": call.get("port"),
    }
    return {
        "mcp.method.name": "tools/call",
        "roundtrip.mcp.server": cut(str(recorded["server"])),
        **{name: _short(value) for name, value in values.items() if value not in (None, "")},
    }


def _transport(transport: Any) -> str | None:
    if not transport:
        return None
    return "pipe" if transport == "stdio" else "tcp"


def _content(span: Span, contents: Contents) -> Attributes:
    content = contents.of_call(span)
    result: Attributes = {}
    if content.arguments:
        arguments = arguments_of(content.arguments)
        text = arguments if isinstance(arguments, str) else dump_json(arguments)
        result["gen_ai.tool.call.arguments"] = result["input.value"] = text
        result["input.mime_type"] = "text/plain" if arguments is text else "application/json"
    if content.result:
        result["gen_ai.tool.call.result"] = cut(result_value(content.result))
    if content.shown:
        result["output.value"], result["output.mime_type"] = cut(content.shown), "text/plain"
        result.setdefault("gen_ai.tool.call.result", cut(content.shown))
    return result


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _short(value: Any) -> str | int:
    return value if isinstance(value, int) else cut(str(value))
