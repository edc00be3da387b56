"""A server with the tools, resources and prompts that the public suite calls by name, behind the
product's own door and serving code."""

import asyncio
import base64
from typing import Any

import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from api.mcp_server.serving import CAME_IN, Context, Running

__all__ = ["CAME_IN", "handle"]
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(24)).decode()
WAV = base64.b64encode(b"RIFF" + bytes(40)).decode()
TEXT = types.TextContent(text="This is a simple text response for testing.")
IMAGE = types.ImageContent(data=PNG, mime_type="image/png")
AUDIO = types.AudioContent(data=WAV, mime_type="audio/wav")
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def embedded(uri: str, text: str, mime_type: str = "text/plain") -> types.EmbeddedResource:
    contents = types.TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    return types.EmbeddedResource(resource=contents)


EMBEDDED = embedded("test://embedded-resource", "This is an embedded resource content.")
MIXED = embedded("test://mixed-content-resource", '{"test": "data"}', "application/json")
CONTENTS: dict[str, list[Any]] = {
    "test_simple_text": [TEXT],
    "test_image_content": [IMAGE],
    "test_audio_content": [AUDIO],
    "test_embedded_resource": [EMBEDDED],
    "test_multiple_content_types": [TEXT, IMAGE, MIXED],
    "test_tool_with_progress": [TEXT],
    "test_error_handling": [],
    "json_schema_2020_12_tool": [TEXT],
    "test_header_parameters": [TEXT],
    "test_logging_tool": [TEXT],
    "test_missing_capability": [],
    "test_streaming_elicitation": [TEXT],
}
SCHEMAS: dict[str, dict[str, Any]] = {
    "json_schema_2020_12_tool": SCHEMA,
    "test_header_parameters": {
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    },
}


async def list_tools(context: Context, _: Any) -> types.ListToolsResult:
    return types.ListToolsResult(
        tools=[
            types.Tool(
                name=name,
                description=name,
                input_schema=SCHEMAS.get(name, NOTHING),
            )
            for name in CONTENTS
        ]
    )


async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    if params.name not in CONTENTS:
        raise MCPError(types.INVALID_PARAMS, "There is no such tool.")
    if params.name == "test_missing_capability":
        needed: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "Sampling is needed.", needed)
    if params.name == "test_error_handling":
        sentence = types.TextContent(text="This tool intentionally returns an error for testing")
        return types.CallToolResult(content=[sentence], is_error=True)
    if params.name == "test_tool_with_progress":
        for percent in (0, 50, 100):
            await context.session.report_progress(percent, 100, f"{percent} %")
            await asyncio.sleep(0.05)
    return types.CallToolResult(content=CONTENTS[params.name])


RESOURCES: dict[str, Any] = {
    "test://static-text": types.TextResourceContents(
        uri="test://static-text",
        mime_type="text/plain",
        text="This is the content of the static text resource.",
    ),
    "test://static-binary": types.BlobResourceContents(
        uri="test://static-binary", mime_type="image/png", blob=PNG
    ),
}


async def list_resources(context: Context, _: Any) -> types.ListResourcesResult:
    return types.ListResourcesResult(
        resources=[types.Resource(name=uri, uri=uri) for uri in RESOURCES]
    )


async def list_templates(context: Context, _: Any) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(name="template", uri_template="test://template/{id}/data")
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(
    context: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    uri = str(params.uri)
    if uri.startswith("test://template/"):
        number = uri.split("/")[3]
        text = f'{{"id": "{number}", "templateTest": true, "data": "Data for ID: {number}"}}'
        contents: Any = types.TextResourceContents(uri=uri, mime_type="application/json", text=text)
    elif uri in RESOURCES:
        contents = RESOURCES[uri]
    else:
        raise MCPError(types.INVALID_PARAMS, "There is no such resource.", {"uri": uri})
    return types.ReadResourceResult(contents=[contents])


ARGUMENTS = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
}


async def list_prompts(context: Context, _: Any) -> types.ListPromptsResult:
    return types.ListPromptsResult(
        prompts=[
            types.Prompt(
                name=name,
                description=name,
                arguments=[
                    types.PromptArgument(name=one, description=one, required=True) for one in needed
                ],
            )
            for name, needed in ARGUMENTS.items()
        ]
    )


async def get_prompt(
    context: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult:
    given = params.arguments or {}
    said: list[Any] = [types.TextContent(text="This is a simple prompt for testing.")]
    if params.name == "test_prompt_with_arguments":
        text = f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"
        said = [types.TextContent(text=text)]
    elif params.name == "test_prompt_with_embedded_resource":
        resource = embedded(given["resourceUri"], "Embedded resource content for testing.")
        said = [resource, types.TextContent(text="Please process the embedded resource above.")]
    elif params.name == "test_prompt_with_image":
        said = [IMAGE, types.TextContent(text="Please analyze the image above.")]
    return types.GetPromptResult(
        messages=[types.PromptMessage(role="user", content=one) for one in said]
    )


def make() -> "Server[Any]":
    return Server(
        "suite",
        version="1",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


_running: dict[asyncio.AbstractEventLoop, Running] = {}


async def handle(scope: Any, receive: Any, send: Any) -> None:
    loop = asyncio.get_running_loop()
    if loop not in _running:
        _running[loop] = Running(make)
    await _running[loop].handle(scope, receive, send)
