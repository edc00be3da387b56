"""Requests of OpenAI's chat completions: their messages are the canonical ones."""

from typing import Any, cast

from api.gateway.reading.values import Object, objects
from chat.llm.messages import Message, ToolDefinition

_NO_PARAMETERS = frozenset({"messages", "tools", "model", "stream", "stream_options"})


def messages_of(body: Object) -> list[Message]:
    return [cast(Message, one) for one in objects(body.get("messages")) if "role" in one]


def tools_of(body: Object) -> list[ToolDefinition]:
    return objects(body.get("tools"))


def parameters_of(body: Object) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in _NO_PARAMETERS}
