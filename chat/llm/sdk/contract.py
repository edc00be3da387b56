"""The type of what sends a request to a provider.

It knows address, headers and authentication; that of OpenAI's protocol is their SDK. The response
is read by `wire.response.ResponseReader`.
"""

from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import httpx2

from chat.llm.endpoint import Endpoint
from wire.chunks import ProtocolEvents


class SDKFailed(Exception):
    """A refused request; or wraps an exception of an SDK, its `__cause__`, which only this package
    imports."""


class ProviderSDK(Protocol):
    def sending(
        self, endpoint: Endpoint, body: dict[str, Any]
    ) -> AbstractAsyncContextManager[httpx2.Response]:
        """Sends the body and requests a stream. Raises SDKFailed and exceptions of the
        transport."""
        ...

    def events(self) -> ProtocolEvents:
        """A reader of one response."""
        ...
