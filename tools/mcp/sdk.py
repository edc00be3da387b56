"""What we use of the `mcp` SDK's submodules, in one place: they may move in any release.

The SDK promises only the names of its top level (`from mcp import Client`). The others are
imported here and nowhere else; `tools/tests/mcp/test_sdk.py` says which of them moved or changed.

Some failures the SDK, and the HTTP client below it, tell apart by nothing but a text. These texts
stand here too, and the functions that read them.

Two of its loggers log exceptions whose texts quote what a server said, before anything of it could
be masked: here they log the kind of the exception only.
"""

import logging
from enum import Enum, auto

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
from mcp_types import CONNECTION_CLOSED, INVALID_REQUEST, PARSE_ERROR
from pydantic import ValidationError

__all__ = [
    "SDK_TEXTS",
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
    "SdkError",
    "SessionMessage",
    "SubscriptionLost",
    "TokenStorage",
    "TransportStreams",
    "WriteStream",
    "as_request_id",
    "closed_before_response",
    "closed_within_body",
    "coerce_request_id",
    "get_default_environment",
    "is_about_session",
    "is_invalid_json",
    "request_within_origin",
    "sdk_error",
    "sse_within_origin",
    "streamable_http_client",
    "unexpected_content_type",
    "union_scopes",
]


class SdkError(Enum):
    """What an error answer means that the SDK gives in the place of a server's."""

    CLOSED = auto()  # the session is gone
    UNPARSED = auto()  # the answer over HTTP is not JSON-RPC
    CONTENT_TYPE = auto()  # the answer over HTTP is neither JSON nor a stream of events
    NOT_ANSWERED = auto()  # HTTP 202: the request was accepted like a notification
    STREAM_BROKEN = auto()  # the stream of one answer broke, the session goes on


# The code and the message of such an error; of a text that ends with a space, its beginning.
SDK_TEXTS: tuple[tuple[SdkError, int, str], ...] = (
    (SdkError.CLOSED, CONNECTION_CLOSED, "Connection closed"),
    (SdkError.UNPARSED, PARSE_ERROR, "Failed to parse JSON response: "),
    (SdkError.UNPARSED, PARSE_ERROR, "Failed to parse SSE message: "),
    (SdkError.CONTENT_TYPE, INVALID_REQUEST, "Unexpected content type: "),
    (SdkError.NOT_ANSWERED, INVALID_REQUEST, "server answered a request with 202 Accepted"),
    (SdkError.STREAM_BROKEN, CONNECTION_CLOSED, "SSE stream "),
)
_CONTENT_TYPE = "Unexpected content type: "
# Of pydantic, within the message of `UNPARSED`.
_INVALID_JSON = "Invalid JSON"
# How servers of the TypeScript SDK say that they do not know a session.
_SESSION_WORDS = ("session", "not initialized")
# Of `httpx2.RemoteProtocolError`.
_NO_RESPONSE = "without sending a response"
_BODY_CUT = "peer closed connection"


def _without_quote(record: logging.LogRecord) -> bool:
    """A filter that names an exception in place of a text that quotes a server."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, ValidationError | OAuthFlowError):
        record.msg, record.args = f"{record.getMessage()}: {type(error).__name__}", ()
        record.exc_info = record.exc_text = None
    return True


for _name in ("mcp.client.streamable_http", "mcp.client.auth.oauth2"):
    logging.getLogger(_name).addFilter(_without_quote)


def sdk_error(code: int, message: str) -> SdkError | None:
    """Which error of the SDK's own this is; None if it is a server's."""
    for kind, code_of_kind, text in SDK_TEXTS:
        is_text = message.startswith(text) if text.endswith(" ") else message == text
        if code == code_of_kind and is_text:
            return kind
    return None


def unexpected_content_type(message: str) -> str:
    """The media type that `SdkError.CONTENT_TYPE` names; empty if the answer had none."""
    return message.removeprefix(_CONTENT_TYPE).partition(";")[0].strip()


def is_invalid_json(message: str) -> bool:
    """Of `SdkError.UNPARSED`: whether the answer is not even JSON."""
    return _INVALID_JSON in message


def is_about_session(message: str) -> bool:
    """Whether a server's error says that it does not know the session."""
    return any(words in message.lower() for words in _SESSION_WORDS)


def closed_before_response(error: BaseException) -> bool:
    """Of an `httpx2.RemoteProtocolError`: the server ended the connection without a response."""
    return _NO_RESPONSE in str(error)


def closed_within_body(error: BaseException) -> bool:
    """Of an `httpx2.RemoteProtocolError`: the server ended the connection within a body."""
    return _BODY_CUT in str(error)
