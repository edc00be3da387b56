"""One module a protocol: how a body is sent with its SDK, and who reads what comes back."""

import asyncio

from chat.llm.endpoint import Endpoint, Kind
from chat.llm.sdk.chat_completions import ChatCompletions
from chat.llm.sdk.contract import ProviderSDK

__all__ = ["ProviderSDK", "sdk_for"]

_SDKS: dict[Kind, ProviderSDK] = {"openai": ChatCompletions()}


async def sdk_for(endpoint: Endpoint) -> ProviderSDK:
    """The SDK for the protocol that this endpoint speaks."""
    if endpoint.kind not in _SDKS:
        _SDKS[endpoint.kind] = await asyncio.to_thread(_anthropic_messages)
    return _SDKS[endpoint.kind]


def _anthropic_messages() -> ProviderSDK:
    """Loads its SDK, which is 39 MB and more than a second: only for who calls it, and not on the
    loop."""
    from chat.llm.sdk.anthropic_messages import AnthropicMessages

    return AnthropicMessages()
