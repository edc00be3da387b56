"""Why a request over HTTP failed, as a `Failure` of the server.

What the libraries raise is a name of a class, or words for programmers. The causes behind it say
more: an `OSError` of the socket, an error of TLS. Header values are never repeated.
"""

import errno
import socket
import ssl
from collections.abc import Iterator

import httpx2

from languages.stored import stored
from tools import guard
from tools.errors import Failure, FailureKind
from tools.mcp.sdk import closed_before_response, closed_within_body

BROKEN_OFF = Failure(stored("broke off the connection"), FailureKind.CONNECTION_BROKEN)
SOCKET_FAILURES = {
    errno.ECONNREFUSED: Failure(
        stored("refused the connection: nothing listens at that port"),
        FailureKind.CONNECTION_REFUSED,
    ),
    errno.EHOSTUNREACH: Failure(
        stored("cannot be reached: there is no way to its host"), FailureKind.NO_ROUTE
    ),
    errno.ENETUNREACH: Failure(
        stored("cannot be reached: there is no way to its network"), FailureKind.NO_ROUTE
    ),
    errno.ECONNRESET: BROKEN_OFF,
}


def http_failure(error: BaseException) -> Failure | None:
    """Why the request failed; None if this is no error of HTTP."""
    if isinstance(error, UnicodeEncodeError | httpx2.LocalProtocolError):
        return Failure(
            stored("was not asked: a header has a character that HTTP cannot carry"),
            FailureKind.BAD_HEADER,
        )
    if not isinstance(error, httpx2.TransportError | httpx2.SSEError):
        return None
    return next(filter(None, map(_of_cause, _causes(error))), None) or _of_class(error)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what it came of, outermost first; each once."""
    waiting, seen = [error], set[int]()
    while waiting:
        one = waiting.pop(0)
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        inner = one.exceptions if isinstance(one, BaseExceptionGroup) else ()
        waiting += [cause for cause in (*inner, one.__cause__, one.__context__) if cause]


def _of_cause(error: BaseException) -> Failure | None:
    match error:
        case ssl.SSLCertVerificationError():
            return Failure(
                stored(
                    "has a certificate that is not trusted: %(verify_message)s",
                    verify_message=error.verify_message,
                ),
                FailureKind.UNTRUSTED_CERTIFICATE,
            )
        case ssl.SSLError(reason="WRONG_VERSION_NUMBER" | "HTTP_REQUEST" | "RECORD_LAYER_FAILURE"):
            return Failure(stored("does not speak TLS at that port"), FailureKind.NO_TLS)
        case ssl.SSLError():
            words = (error.reason or "no reason").replace("_", " ").lower()
            return Failure(stored("could not agree on TLS: %(words)s", words=words))
        case socket.gaierror():
            return None  # the guard has the name
        case OSError(errno=int(number)):
            return SOCKET_FAILURES.get(number)
    return None


def _of_class(error: BaseException) -> Failure:
    match error:
        case guard.Refused():
            return error.failure
        case guard.HostNotFound():
            return Failure(
                stored("cannot be reached: %(error)s", error=error), FailureKind.HOST_NOT_FOUND
            )
        case httpx2.ConnectTimeout():
            return Failure(
                stored("cannot be reached: its host did not answer in time"),
                FailureKind.CONNECT_TIMEOUT,
            )
        case httpx2.TimeoutException():
            return Failure(stored("did not answer in time"), FailureKind.TIMEOUT)
        case httpx2.RemoteProtocolError():
            return _of_protocol(error)
        case httpx2.ReadError() | httpx2.WriteError() | httpx2.CloseError():
            return BROKEN_OFF
        case httpx2.ConnectError():
            return Failure(stored("cannot be reached%(error)s", error=_system_error(error)))
        case httpx2.SSEError():
            return Failure(stored("sends a stream that cannot be read: %(error)s", error=error))
    return (
        Failure(stored("cannot be reached: %(error)s", error=error)) if str(error) else BROKEN_OFF
    )


def _of_protocol(error: httpx2.RemoteProtocolError) -> Failure:
    if closed_before_response(error):
        return Failure(
            stored("closed the connection without an answer"), FailureKind.CONNECTION_BROKEN
        )
    if closed_within_body(error):
        return Failure(stored("closed the connection in the middle of its answer"))
    return Failure(stored("does not speak HTTP as it should: %(error)s", error=error))


def _system_error(error: BaseException) -> str:
    """What the operating system says of a connection that was not made, after a colon."""
    causes = (one.strerror for one in _causes(error) if isinstance(one, OSError) and one.strerror)
    return next((f": {text}" for text in causes), "")
