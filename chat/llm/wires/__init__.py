"""One module a protocol: how a body is sent with its SDK, and what the bytes that come back say."""

from chat.llm.clients import Endpoint
from chat.llm.wires.chat_completions import ChatCompletions
from chat.llm.wires.contract import Chunk, Wire
from chat.llm.wires.messages_api import MessagesAPI

__all__ = ["Chunk", "Wire", "wire_to"]

_WIRES: dict[str, Wire] = {"openai": ChatCompletions(), "anthropic": MessagesAPI()}


def wire_to(endpoint: Endpoint) -> Wire:
    """The protocol that this endpoint speaks."""
    return _WIRES[endpoint.kind]
