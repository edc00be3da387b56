"""What we use of the `mcp` SDK's submodules, in one place: they may move in any release.

The SDK promises only the names of its top level (`from mcp import Client`). The others are
imported here and nowhere else; `tools/tests/mcp/test_sdk.py` says which of them moved or changed.
"""

from mcp.client._transport import ReadStream, TransportStreams, WriteStream
from mcp.client.auth import OAuthClientProvider, OAuthFlowError, TokenStorage
from mcp.client.auth.utils import union_scopes
from mcp.client.session import ClientRequestContext
from mcp.client.stdio import get_default_environment
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared._httpx_utils import request_within_origin, sse_within_origin
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from mcp.shared.dispatcher import ProgressFnT, as_request_id, coerce_request_id
from mcp.shared.message import SessionMessage

__all__ = [
    "AuthorizationCodeResult",
    "ClientRequestContext",
    "ListenNotSupportedError",
    "OAuthClientInformationFull",
    "OAuthClientMetadata",
    "OAuthClientProvider",
    "OAuthFlowError",
    "OAuthMetadata",
    "OAuthToken",
    "ProgressFnT",
    "ProtectedResourceMetadata",
    "ReadStream",
    "SessionMessage",
    "SubscriptionLost",
    "TokenStorage",
    "TransportStreams",
    "WriteStream",
    "as_request_id",
    "coerce_request_id",
    "get_default_environment",
    "request_within_origin",
    "sse_within_origin",
    "streamable_http_client",
    "union_scopes",
]
