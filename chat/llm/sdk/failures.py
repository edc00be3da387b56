"""The failure for an exception of an SDK or its transport."""

import errno
import socket
import ssl
from collections.abc import Iterator

import aiohttp
import httpx2

from chat.llm import failures
from chat.llm.endpoint import Endpoint
from chat.llm.errors import (
    BrokenChunk,
    ConnectFailed,
    ConnectionLost,
    NotHttp,
    ProviderFailure,
    Stalled,
)
from chat.llm.recording import Recording
from chat.llm.sdk.contract import SDKFailed
from languages.stored import stored
from limits.models import MAX_ERROR_BODY_BYTES, MAX_PROVIDER_CONNECT_S
from tracing.store.encodings import decode_content

# Exceptions of the SDKs and their transport. Any other is a defect of the product.
RAISED = (
    SDKFailed,
    httpx2.HTTPError,
    httpx2.StreamError,
    aiohttp.ClientError,
    OSError,
)
_UNREACHABLE = (errno.EHOSTUNREACH, errno.ENETUNREACH)
_TAIL = 500  # bytes at the end of the response, as evidence


def failure_of(error: Exception, record: Recording, endpoint: Endpoint) -> ProviderFailure:
    """The failure of this call. An error status takes precedence over how its body ends."""
    if record.status is not None and record.is_refused:
        headers = {name.lower(): value for name, value in record.response_headers}
        body = decode_content(record.response_body, record.response_headers, MAX_ERROR_BODY_BYTES)
        return failures.status_failure(record.status, headers, body[:MAX_ERROR_BODY_BYTES])
    if isinstance(error, ProviderFailure):
        return error
    causes = list(_causes(error))
    if record.sent_at is None or any(_is_of_connecting(cause) for cause in causes):
        return _connect_failed(causes, endpoint)
    tail = record.response_body[-_TAIL:]
    if any(isinstance(cause, httpx2.ReadTimeout) for cause in causes):
        return Stalled(endpoint.idle_s, evidence=tail)
    if any(isinstance(cause, aiohttp.ClientResponseError) for cause in causes):
        return NotHttp(evidence=tail or str(causes[-1]).encode(errors="replace"))
    if any(isinstance(cause, httpx2.DecodingError) for cause in causes):
        return BrokenChunk(stored("its compression is broken"), evidence=tail)
    return ConnectionLost(evidence=tail or str(causes[-1]).encode())


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception and its causes, the first cause last."""
    at: BaseException | None = error
    while at is not None:
        yield at
        at = at.__cause__


def _is_of_connecting(cause: BaseException) -> bool:
    # Not the transport's ConnectTimeout, which it raises for every broken connection.
    return isinstance(cause, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError)


def _connect_failed(causes: list[BaseException], endpoint: Endpoint) -> ConnectFailed:
    """The failure with a plain reason; the words of the operating system are its evidence."""
    reason = _reason(causes) or _usual_reason(endpoint)
    words = next(filter(None, map(str, reversed(causes))), repr(causes[-1]))
    return ConnectFailed(reason, evidence=words.encode(errors="replace"))


def _usual_reason(endpoint: Endpoint) -> str:
    if endpoint.base_url.startswith("https:"):
        return stored("a TLS connection could not be made")
    return stored("the connection could not be made")


def _reason(causes: list[BaseException]) -> str:
    inner = [getattr(cause, "os_error", cause) for cause in causes]
    if any(isinstance(cause, aiohttp.ClientConnectorDNSError | socket.gaierror) for cause in inner):
        return stored("there is no host of this name")
    if any(isinstance(cause, aiohttp.ClientConnectorCertificateError) for cause in causes):
        return stored("its TLS certificate is not trusted")
    if any(isinstance(cause, aiohttp.ClientSSLError | ssl.SSLError) for cause in inner):
        return stored("a TLS connection could not be made")
    if any(isinstance(cause, ConnectionRefusedError) for cause in inner):
        return stored("nothing listens at this address")
    if any(isinstance(cause, TimeoutError) for cause in inner):
        return stored("no connection within %(most)s seconds", most=f"{MAX_PROVIDER_CONNECT_S:g}")
    if any(isinstance(cause, OSError) and cause.errno in _UNREACHABLE for cause in inner):
        return stored("there is no way to this address from here")
    return ""
