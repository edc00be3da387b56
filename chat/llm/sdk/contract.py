"""What sends a body to a provider.

An SDK builds and sends, because it knows the address, the headers and the authentication. It does
not read: `wire.response.ResponseReader` does, over what was recorded.
"""

from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import httpx2

from chat.llm.endpoint import Endpoint
from wire.chunks import ProtocolEvents


class SDKFailed(Exception):
    """What an SDK raised, which is the cause. Only the modules of this package know the SDKs."""


class ProviderSDK(Protocol):
    def sending(
        self, endpoint: Endpoint, body: dict[str, Any]
    ) -> AbstractAsyncContextManager[httpx2.Response]:
        """Sends the body and a wish for a stream. Raises SDKFailed, or what the transport does."""
        ...

    def events(self) -> ProtocolEvents:
        """Reads one response."""
        ...
