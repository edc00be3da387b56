"""Why a request over HTTP came to nothing, as the predicate of a sentence about the server.

What the libraries raise is a name of a class, or words for programmers. The causes behind it say
more: an `OSError` of the socket, an error of TLS. Header values are never repeated.
"""

import errno
import socket
import ssl
from collections.abc import Iterator

import httpx2

OF_SOCKETS = {
    errno.ECONNREFUSED: "refused the connection: nothing listens at that port",
    errno.EHOSTUNREACH: "cannot be reached: there is no way to its host",
    errno.ENETUNREACH: "cannot be reached: there is no way to its network",
    errno.ECONNRESET: "broke off the connection",
}


def why(error: BaseException) -> str:
    """A predicate; empty for what is no error of HTTP."""
    if isinstance(error, UnicodeEncodeError | httpx2.LocalProtocolError):
        return "was not asked: a header has a character that HTTP cannot carry"
    if not isinstance(error, httpx2.TransportError | httpx2.SSEError):
        return ""
    return next(filter(None, map(_of_cause, _causes(error))), "") or _of_kind(error)


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


def _of_cause(error: BaseException) -> str:
    match error:
        case ssl.SSLCertVerificationError():
            return f"has a certificate that is not trusted: {error.verify_message}"
        case ssl.SSLError(reason="WRONG_VERSION_NUMBER" | "HTTP_REQUEST" | "RECORD_LAYER_FAILURE"):
            return "does not speak TLS at that port"
        case ssl.SSLError():
            words = (error.reason or "no reason").replace("_", " ").lower()
            return f"could not agree on TLS: {words}"
        case socket.gaierror():
            return ""  # the guard has the name
        case OSError():
            return OF_SOCKETS.get(error.errno or 0, "")
    return ""


def _of_kind(error: BaseException) -> str:
    match error:
        case httpx2.SSEError():
            return f"sends a stream that cannot be read: {error}"
        case httpx2.ConnectTimeout():
            return "cannot be reached: its host did not answer in time"
        case httpx2.TimeoutException():
            return "did not answer in time"
        case httpx2.RemoteProtocolError() if "without sending a response" in str(error):
            return "closed the connection without an answer"
        case httpx2.RemoteProtocolError() if "peer closed connection" in str(error):
            return "closed the connection in the middle of its answer"
        case httpx2.RemoteProtocolError():
            return f"does not speak HTTP as it should: {error}"
        case httpx2.ReadError() | httpx2.WriteError() | httpx2.CloseError():
            return "broke off the connection"
        case httpx2.ConnectError() if str(error) and "attempts failed" not in str(error):
            return f"cannot be reached: {error}"
        case httpx2.ConnectError():
            return "cannot be reached"
    return f"cannot be reached: {error}" if str(error) else "broke off the connection"
