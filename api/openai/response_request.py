"""A body of `/v1/responses` as a `Call`."""

import uuid
from dataclasses import replace
from typing import Any

from api.openai import checks, fields, parameters
from api.openai.call import Asked, Call
from api.openai.errors import not_found, refused, unsupported
from api.openai.response_items import read_input
from chat.llm.messages import ToolDefinition

PREFIX = "resp_"
# An `include` of our own: calls and results of the assistant's tools.
TOOLS = "roundtrip.tools"


def response_id(turn: uuid.UUID) -> str:
    return PREFIX + turn.hex


def turn_of(name: object, param: str | None = None) -> uuid.UUID:
    """The public id of a response's turn. Raises `OpenAIError`."""
    text = name if isinstance(name, str) else ""
    try:
        return uuid.UUID(hex=text.removeprefix(PREFIX))
    except ValueError as error:
        raise no_response(text, param) from error


def no_response(name: str, param: str | None = None) -> Exception:
    message = f"There is no response with the id “{name[:80]}”."
    code = "previous_response_not_found" if param else "response_not_found"
    return not_found(message, code, param)


def read(body: object, *, with_tools: bool) -> Call:
    """Raises `OpenAIError`. The input of a call that goes on with another is read by `sending`."""
    given = fields.given(checks.an_object(body, "body"), fields.RESPONSES)
    tools = _tools(given.get("tools", []))
    named = {k: v for k, v in given.items() if k not in ("reasoning", "text")}
    read_parameters = parameters.read(named)
    most = given.get("max_output_tokens")
    limit = {} if most is None else {"max_tokens": parameters.max_tokens(most, "max_output_tokens")}
    previous = given.get("previous_response_id")
    shown = _included(given.get("include", []))
    _check_stream(given)
    return Call(
        model=checks.text(checks.required(given, "model"), "model"),
        asked=_asked(given, previous),
        parameters=read_parameters.canonical | limit | _effort(given.get("reasoning", {})),
        passed_on=read_parameters.passed_on | _text(given.get("text", {})),
        tools=tools,
        tool_choice=_tool_choice(given.get("tool_choice"), tools),
        kept=parameters.kept(given) | _echoed(given),
        is_stream=checks.flag(given.get("stream", False), "stream"),
        with_usage=True,
        with_tools=with_tools or shown,
        is_response=True,
        is_stored=checks.flag(given.get("store", True), "store"),
        is_background=checks.flag(given.get("background", False), "background"),
        previous=turn_of(previous, "previous_response_id") if previous is not None else None,
    )


def _asked(given: dict[str, Any], previous: object) -> Asked:
    instructions = checks.text(given.get("instructions", ""), "instructions")
    value = checks.required(given, "input")
    if previous is not None:
        return Asked(prompt=instructions)
    found = read_input(value)
    prompt = "\n\n".join(filter(None, (instructions, found.prompt)))
    return replace(found, prompt=prompt)


def _echoed(given: dict[str, Any]) -> dict[str, Any]:
    """Fields that the response repeats."""
    names = ("instructions", "previous_response_id", "tools", "tool_choice", "temperature")
    others = ("top_p", "max_output_tokens", "reasoning", "text", "parallel_tool_calls")
    found = {name: given[name] for name in (*names, *others) if name in given}
    return {"echo": found}


def _check_stream(given: dict[str, Any]) -> None:
    options = checks.an_object(given.get("stream_options", {}), "stream_options")
    checks.only_keys(options, "stream_options", ("include_obfuscation",))
    if options.get("include_obfuscation"):
        raise unsupported("stream_options.include_obfuscation", "nothing is added to streams.")
    if given.get("background") and given.get("store") is False:
        raise refused("background", "“background” needs “store”.")
    if given.get("background") and given.get("stream"):
        raise unsupported("background", "a stream is no background; fetch the response instead.")


def _included(value: object) -> bool:
    if not isinstance(value, list):
        raise refused("include", "“include” has to be a list.", "invalid_type")
    for one in value:
        if one != TOOLS:
            raise unsupported("include", f"{one!s:.60} is nothing that a response has here.")
    return bool(value)


def _effort(value: object) -> dict[str, Any]:
    reasoning = checks.an_object(value, "reasoning")
    checks.only_keys(reasoning, "reasoning", ("effort",))
    effort = reasoning.get("effort")
    found = parameters.effort(effort, "reasoning.effort") if effort is not None else None
    return {"reasoning_effort": found} if found else {}


def _text(value: object) -> dict[str, Any]:
    text = checks.an_object(value, "text")
    checks.only_keys(text, "text", ("format", "verbosity"))
    found: dict[str, Any] = {}
    if text.get("verbosity") is not None:
        found["verbosity"] = parameters.verbosity(text["verbosity"], "text.verbosity")
    if text.get("format") is not None:
        written = checks.an_object(text["format"], "text.format")
        if written.get("type") == "json_schema":
            schema = {key: one for key, one in written.items() if key != "type"}
            checks.only_keys(schema, "text.format", ("name", "schema", "strict", "description"))
            written = {"type": "json_schema", "json_schema": schema}
        found["response_format"] = parameters.response_format(written, "text.format")
    return found


def _tools(value: object) -> list[ToolDefinition]:
    """The flat form of functions, as chat completions write them."""
    nested: list[dict[str, Any]] = []
    for place, tool in enumerate(checks.objects(value, "tools")):
        if tool.get("type") != "function":
            kind = str(tool.get("type"))[:40]
            why = f"{kind} runs at OpenAI; an assistant has tools of its own."
            raise unsupported(f"tools[{place}].type", why)
        nested.append({"type": "function", "function": _without_type(tool)})
    return parameters.tools(nested)


def _tool_choice(value: object, tools: list[ToolDefinition]) -> Any:
    if isinstance(value, dict):
        value = {"type": value.get("type"), "function": _without_type(value)}
    return parameters.tool_choice(value, tools)


def _without_type(tool: dict[str, Any]) -> dict[str, Any]:
    return {key: one for key, one in tool.items() if key != "type"}
