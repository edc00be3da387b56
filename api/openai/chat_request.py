"""A body of `/v1/chat/completions` as a `Call`."""

from typing import Any

from api.openai import checks, fields, parameters
from api.openai.call import Call
from api.openai.chat_messages import asked
from api.openai.errors import refused, unsupported


def read(body: object, *, with_tools: bool) -> Call:
    """Raises `OpenAIError`."""
    given = fields.given(checks.an_object(body, "body"), fields.CHAT)
    is_stream = checks.flag(given.get("stream", False), "stream")
    tools = parameters.tools(given.get("tools", []))
    read_parameters = parameters.read(given)
    return Call(
        model=checks.text(checks.required(given, "model"), "model"),
        asked=asked(checks.objects(checks.required(given, "messages"), "messages")),
        parameters=read_parameters.canonical | _max_tokens(given),
        passed_on=read_parameters.passed_on,
        tools=tools,
        tool_choice=parameters.tool_choice(given.get("tool_choice"), tools),
        kept=parameters.kept(given),
        is_stream=is_stream,
        with_usage=_with_usage(given, is_stream),
        with_tools=with_tools,
        is_stored=False,
    )


def _max_tokens(given: dict[str, Any]) -> dict[str, Any]:
    names = [name for name in ("max_completion_tokens", "max_tokens") if name in given]
    if len(names) > 1:
        raise refused("max_tokens", "“max_tokens” and “max_completion_tokens” exclude each other.")
    if not names:
        return {}
    return {"max_tokens": parameters.max_tokens(given[names[0]], names[0])}


def _with_usage(given: dict[str, Any], is_stream: bool) -> bool:
    options = checks.an_object(given.get("stream_options", {}), "stream_options")
    if options and not is_stream:
        raise refused("stream_options", "“stream_options” is only for streams.")
    checks.only_keys(options, "stream_options", ("include_usage", "include_obfuscation"))
    if options.get("include_obfuscation"):
        raise unsupported("stream_options.include_obfuscation", "nothing is added to streams.")
    return checks.flag(options.get("include_usage") or False, "stream_options.include_usage")
