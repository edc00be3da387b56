"""One module for each protocol: sending a body with its SDK, and the reader of its events.

`contract` has the type of those modules, `failures` maps their exceptions to `ProviderFailure`s.
"""

import asyncio

from chat.llm.endpoint import Endpoint, Kind
from chat.llm.sdk.chat_completions import ChatCompletions
from chat.llm.sdk.contract import ProviderSDK

__all__ = ["ProviderSDK", "sdk_for"]

_SDKS: dict[Kind, ProviderSDK] = {"openai": ChatCompletions()}


async def sdk_for(endpoint: Endpoint) -> ProviderSDK:
    """The SDK for the protocol of this endpoint."""
    if endpoint.kind not in _SDKS:
        _SDKS[endpoint.kind] = await asyncio.to_thread(_anthropic_messages)
    return _SDKS[endpoint.kind]


def _anthropic_messages() -> ProviderSDK:
    """Imports the SDK on its first use, outside of the loop: it takes 39 MB and a second."""
    from chat.llm.sdk.anthropic_messages import AnthropicMessages

    return AnthropicMessages()
