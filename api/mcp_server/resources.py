"""Traces as resources.

trace://<id>                            the trace, as read_trace gives it
trace://<id>/rounds/<number>            a round, as read_round gives it
trace://<id>/rounds/<number>/<stage>    the beginning of a stage of the last attempt
"""

import re
from uuid import UUID

import mcp_types as types
from pydantic import ValidationError

from api.mcp_server.tool import Caller, ToolError
from api.mcp_server.tools import rounds, traces
from db.public_ids import parse_public_id
from limits.mcp_server import MAX_MCP_STAGE_BYTES

_URI = re.compile(r"trace://([0-9a-fA-F-]{36})/?(?:rounds/([0-9]{1,6})(?:/(\w{1,20}))?)?")
_JSON = "application/json"
TEMPLATES = [
    types.ResourceTemplate(
        name="trace",
        title="A trace",
        uri_template="trace://{id}",
        description="Status, figures and rounds.",
        mime_type=_JSON,
    ),
    types.ResourceTemplate(
        name="round",
        title="A round of a trace",
        uri_template="trace://{id}/rounds/{number}",
        description="One call of the model, with the calls of tools that it asked for.",
        mime_type=_JSON,
    ),
    types.ResourceTemplate(
        name="stage",
        title="The exact content of a stage",
        uri_template="trace://{id}/rounds/{number}/{stage}",
        description="input, request, response or output of the round's last attempt.",
        mime_type="text/plain",
    ),
]


async def listed(caller: Caller, cursor: str | None) -> types.ListResourcesResult:
    """The traces, newest first; the cursor is the last id of the page before."""
    after = parse_public_id(cursor) if cursor else None
    if cursor and after is None:
        raise ToolError("This cursor is none of this server's. List again without it.")
    found = await traces.search(caller, traces.SearchArguments(after=after))
    resources = [
        types.Resource(
            name=one.id,
            title=one.name or one.kind,
            uri=f"trace://{one.id}",
            description=f"{one.kind}, {one.status}, {one.started}",
            mime_type=_JSON,
        )
        for one in found.traces
    ]
    return types.ListResourcesResult(resources=resources, next_cursor=found.next_after)


async def read(caller: Caller, uri: str) -> types.ReadResourceResult:
    matched = _URI.fullmatch(uri)
    trace_id = parse_public_id(matched[1]) if matched else None
    if matched is None or trace_id is None:
        raise ToolError("There is no such resource. resources/templates/list has their forms.")
    try:
        mime_type, text = await _content(caller, trace_id, matched[2], matched[3])
    except ValidationError:
        raise ToolError("There is no such round or stage.") from None
    content = types.TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    return types.ReadResourceResult(contents=[content])


async def _content(
    caller: Caller, trace_id: UUID, number: str | None, stage: str | None
) -> tuple[str, str]:
    if number is None:
        trace = await traces.read(caller, traces.ReadTraceArguments(id=trace_id))
        return _JSON, trace.model_dump_json(exclude_none=True)
    if stage is None:
        asked = rounds.RoundArguments(trace=trace_id, round=int(number))
        round_ = await rounds.read_round(caller, asked)
        return _JSON, round_.model_dump_json(exclude_none=True)
    arguments = rounds.StageArguments.model_validate(
        {"trace": trace_id, "round": number, "stage": stage, "length": MAX_MCP_STAGE_BYTES}
    )
    part = await rounds.read_stage(caller, arguments)
    rest = f"\n[… {part.note}]" if part.note else ""
    return "text/plain", (part.text if part.text is not None else part.base64 or "") + rest
