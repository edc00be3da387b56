"""One module a protocol: how a body is sent with its SDK, and what the bytes that come back say."""

import asyncio

from chat.llm.endpoint import Endpoint, Kind
from chat.llm.wires.chat_completions import ChatCompletions
from chat.llm.wires.contract import Chunk, Wire

__all__ = ["Chunk", "Wire", "wire_to"]

_WIRES: dict[Kind, Wire] = {"openai": ChatCompletions()}


async def wire_to(endpoint: Endpoint) -> Wire:
    """The protocol that this endpoint speaks."""
    if endpoint.kind not in _WIRES:
        _WIRES[endpoint.kind] = await asyncio.to_thread(_messages_api)
    return _WIRES[endpoint.kind]


def _messages_api() -> Wire:
    """Loads its SDK, which is 39 MB and more than a second: only for who calls it, and not on the
    loop."""
    from chat.llm.wires.messages_api import MessagesAPI

    return MessagesAPI()
