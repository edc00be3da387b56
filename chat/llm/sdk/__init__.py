"""One module for each protocol: sending a body, and the reader of its events.

`chat_completions` uses the SDK of OpenAI, `anthropic_messages` the HTTP client alone. `contract`
has the type of those modules, `failures` maps their exceptions to `ProviderFailure`s.
"""

from chat.llm.endpoint import Endpoint, Kind
from chat.llm.sdk.anthropic_messages import AnthropicMessages
from chat.llm.sdk.chat_completions import ChatCompletions
from chat.llm.sdk.contract import ProviderSDK

__all__ = ["ProviderSDK", "sdk_for"]

_SDKS: dict[Kind, ProviderSDK] = {"openai": ChatCompletions(), "anthropic": AnthropicMessages()}


def sdk_for(endpoint: Endpoint) -> ProviderSDK:
    """What sends requests of the protocol of this endpoint."""
    return _SDKS[endpoint.kind]
