"""The attributes of a tool call, `execute_tool {tool}`: OpenInference's kind TOOL.

A call of an MCP server has MCP's attributes on this span and no span of its own below it, as the
convention asks where the outer call is already traced.
"""

from collections.abc import Mapping
from typing import Any

from db.fields import dump_json
from tracing.export.otlp.content import Contents, result_value
from tracing.export.otlp.limits import cut, cut_all
from tracing.export.otlp.mapped import Attributes
from tracing.export.otlp.messages import arguments_of
from tracing.models import Span
from tracing.models.attributes import call_attributes


def attributes(span: Span, contents: Contents) -> Attributes:
    noted = call_attributes(span)
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": cut(span.name),
        "gen_ai.tool.type": "extension" if noted.get("server") else "function",
        "gen_ai.tool.call.id": cut(str(noted.get("call_id") or "")),
        "openinference.span.kind": "TOOL",
        "tool.name": cut(span.name),
        **_described(contents.definition(span)),
        **(_mcp(noted) if noted.get("server") else {}),
        **(_content(span, contents) if contents.allowed else {}),
    }


def _described(function: dict[str, Any]) -> Attributes:
    found: Attributes = {}
    if isinstance(description := function.get("description"), str) and description:
        found["gen_ai.tool.description"] = found["tool.description"] = cut(description)
    if isinstance(parameters := function.get("parameters"), dict):
        found["tool.parameters"] = dump_json(cut_all(parameters))
    return found


def _mcp(noted: Mapping[str, Any]) -> Attributes:
    met = _object(noted.get("mcp"))
    timing = _object(noted.get("timing"))
    known = {
        "mcp.protocol.version": timing.get("protocol"),
        "mcp.session.id": met.get("session"),
        "jsonrpc.request.id": met.get("request"),
        "network.transport": _transport(met.get("transport")),
        "server.address": met.get("host"),
        "server.port": met.get("port"),
    }
    return {
        "mcp.method.name": "tools/call",
        "roundtrip.mcp.server": cut(str(noted["server"])),
        **{name: _short(value) for name, value in known.items() if value not in (None, "")},
    }


def _transport(transport: Any) -> str | None:
    if not transport:
        return None
    return "pipe" if transport == "stdio" else "tcp"


def _content(span: Span, contents: Contents) -> Attributes:
    said = contents.of_tool(span)
    found: Attributes = {}
    if said.arguments:
        arguments = arguments_of(said.arguments)
        as_text = arguments if isinstance(arguments, str) else dump_json(arguments)
        found["gen_ai.tool.call.arguments"] = found["input.value"] = as_text
        found["input.mime_type"] = "text/plain" if arguments is as_text else "application/json"
    if said.result:
        found["gen_ai.tool.call.result"] = cut(result_value(said.result))
    if said.shown:
        found["output.value"], found["output.mime_type"] = cut(said.shown), "text/plain"
        found.setdefault("gen_ai.tool.call.result", cut(said.shown))
    return found


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _short(value: Any) -> str | int:
    return value if isinstance(value, int) else cut(str(value))
