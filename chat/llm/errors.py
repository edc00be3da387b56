"""The errors of model calls.

LLMError
├── MalformedConversation     an input is not a canonical conversation
├── UnknownDialect            no dialect has this name
├── BadTemplate               a chat template cannot be rendered; has `reason` and `line`
└── ProviderFailure           one attempt at a model call failed; has `retryable` and `evidence`
    ├── ConnectFailed         no connection
    ├── ConnectionLost        the connection broke before the answer was complete
    ├── Stalled               no data arrived for too long
    ├── NotHttp               the bytes received are no HTTP response
    ├── Defect                an error of the product itself while it read the response
    ├── StatusFailure         an HTTP status that is not a success
    └── StreamFailure         a successful status without a complete answer
        ├── NotAStream        no event stream, such as a web page
        ├── EmptyBody         not one byte
        ├── NoChunks          an event stream without a chunk in it
        ├── CutStream         the stream ends before a finish reason
        ├── BrokenChunk       an event that is not a JSON object
        ├── InvalidUtf8       bytes that are not UTF-8
        ├── Endless           the response exceeds the limit of bytes
        ├── Overdue           the response exceeds the limit of time
        └── ProviderError     the provider reported an error within the stream

`str(error)` is a sentence for people. It may quote the provider, so that known secrets are redacted
before it is stored or shown.
"""

from http import HTTPStatus

from languages.stored import stored
from limits.models import MAX_FAILURE_EVIDENCE_BYTES, MAX_FAILURE_QUOTE

# RFC 9110, RFC 6585; 529 is Anthropic's "overloaded".
RETRYABLE_STATUSES = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
OUT_OF_QUOTA = stored(
    "The account at the model's provider has no credit or quota left: add some there, or choose "
    "another model"
)
_RETRYABLE_WORDS = (
    "rate_limit",
    "overload",
    "server_error",
    "internal_error",
    "api_error",
    "unavailable",
    "timeout",
)


class LLMError(Exception):
    """Base of what this package raises."""


class MalformedConversation(LLMError):
    """Not a canonical conversation. The message says where and why."""


class UnknownDialect(LLMError):
    """No dialect has this name. The message lists the known ones."""


class BadTemplate(LLMError):
    """A chat template that cannot be parsed or rendered. `line`: from 1, None if unknown."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        where = f" in line {line}" if line else ""
        super().__init__(
            stored(
                "The chat template does not work%(where)s: %(most)s.",
                where=where,
                most=reason.rstrip(".")[:MAX_FAILURE_QUOTE],
            )
        )
        self.reason = reason
        self.line = line


class ProviderFailure(LLMError):
    """A failed attempt. `retryable`: another may succeed. `evidence`: bytes received, truncated."""

    retryable = True
    sentence = stored("The model server failed.")

    def __init__(self, detail: str = "", *, evidence: bytes = b"") -> None:
        quoted = detail.strip()[:MAX_FAILURE_QUOTE]
        super().__init__(f"{self.sentence} ({quoted})" if quoted else self.sentence)
        self.detail = detail
        self.evidence = evidence[:MAX_FAILURE_EVIDENCE_BYTES]


class ConnectFailed(ProviderFailure):
    """The server could not be reached."""

    sentence = stored("The model server could not be reached.")


class ConnectionLost(ProviderFailure):
    """The connection broke during the answer."""

    sentence = stored("The connection to the model server broke before the answer was complete.")


class Stalled(ProviderFailure):
    """No data arrived for `seconds`."""

    sentence = stored("The model server stopped sending.")

    def __init__(self, seconds: float, *, evidence: bytes = b"") -> None:
        super().__init__(
            stored("nothing arrived for %(seconds)s seconds", seconds=f"{seconds:g}"),
            evidence=evidence,
        )
        self.seconds = seconds


class NotHttp(ProviderFailure):
    """Other bytes in place of a status line or headers: another service, or the rest of a response
    that is longer than its declared length."""

    sentence = stored("The model server did not answer with HTTP.")


class Defect(ProviderFailure):
    """An error of the product itself."""

    retryable = False
    sentence = stored(
        "Internal error while the answer was processed. What arrived is in the trace. If it "
        "happens again, tell the operator."
    )


class StatusFailure(ProviderFailure):
    """An HTTP status that is not a success. `retry_after`: seconds, None if the server named none.
    `out_of_quota`: the account has no credit left, so that a retry is useless."""

    def __init__(
        self,
        status: int,
        detail: str = "",
        *,
        retry_after: float | None = None,
        evidence: bytes,
        out_of_quota: bool = False,
    ) -> None:
        what = OUT_OF_QUOTA if out_of_quota else _status_sentence(status)
        pause = "" if out_of_quota else _pause(retry_after)
        self.sentence = f"{what} (HTTP {status}){pause}."
        super().__init__(detail, evidence=evidence)
        self.status = status
        self.retry_after = retry_after
        self.retryable = status in RETRYABLE_STATUSES and not out_of_quota


class StreamFailure(ProviderFailure):
    """A successful HTTP status without a complete answer."""


class NotAStream(StreamFailure):
    """A web page or another document in place of an event stream."""

    retryable = False
    sentence = stored("The model server did not answer with an event stream. Check the base URL.")


class EmptyBody(StreamFailure):
    """An empty body."""

    sentence = stored("The model server sent an empty answer.")


class NoChunks(StreamFailure):
    """The stream ended without a chunk."""

    sentence = stored("The model server ended its stream without an answer.")


class CutStream(StreamFailure):
    """The stream ended before a finish reason."""

    sentence = stored("The model server's answer was cut off before its end.")


class BrokenChunk(StreamFailure):
    """An event whose data is not a JSON object; `evidence` has it."""

    sentence = stored("The model server sent data that cannot be parsed.")


class InvalidUtf8(StreamFailure):
    """Bytes that are not UTF-8, the first at `offset` of the body."""

    sentence = stored("The model server sent data that is not valid UTF-8.")

    def __init__(self, offset: int, *, evidence: bytes) -> None:
        super().__init__(
            stored("invalid UTF-8 at byte %(offset)s", offset=offset), evidence=evidence
        )
        self.offset = offset


class Endless(StreamFailure):
    """A response of more than `limit` bytes."""

    retryable = False
    sentence = stored("The model's answer is too long.")

    def __init__(self, limit: int, *, evidence: bytes) -> None:
        super().__init__(
            stored("stopped after %(limit)s MB", limit=f"{limit / 1048576:,.0f}"), evidence=evidence
        )
        self.limit = limit


class Overdue(StreamFailure):
    """A response that takes more than `seconds`, though data keeps arriving."""

    retryable = False
    sentence = stored("The model took too long.")

    def __init__(self, seconds: float, *, evidence: bytes) -> None:
        super().__init__(
            stored("stopped after %(seconds)s", seconds=span_of_time(seconds)), evidence=evidence
        )
        self.seconds = seconds


class ProviderError(StreamFailure):
    """An error object of the provider within a stream with a successful status."""

    sentence = stored("The model server reported an error.")

    def __init__(
        self, detail: str, *, code: str = "", evidence: bytes = b"", out_of_quota: bool = False
    ) -> None:
        if out_of_quota:
            self.sentence = f"{OUT_OF_QUOTA}."
        super().__init__(detail or code, evidence=evidence)
        self.code = code
        self.retryable = _code_is_retryable(code) and not out_of_quota


def _code_is_retryable(code: str) -> bool:
    """Providers give a status, or a word such as `rate_limit_exceeded`, `overloaded_error`."""
    if code.isdecimal():
        return int(code[:3]) in RETRYABLE_STATUSES
    return any(word in code.lower() for word in _RETRYABLE_WORDS)


def _pause(seconds: float | None) -> str:
    return f" and asks for a pause of {span_of_time(seconds)}" if seconds else ""


def span_of_time(seconds: float) -> str:
    """A duration in the largest unit of which it has at least two."""
    for length, unit in ((3600, "hours"), (60, "minutes")):
        if seconds >= 2 * length:
            return f"{seconds / length:,.3g} {unit}"
    return f"{seconds:,.3g} second{'' if seconds == 1 else 's'}"


def _status_sentence(status: int) -> str:
    if 300 <= status < 400:
        return stored("The model server redirects to another address; nothing was sent there")
    if status in (401, 403):
        return stored("The model server rejected the API key")
    if status == 404:
        return stored("The model server does not know this model or address")
    if status == 429:
        return stored("The model server received too many requests")
    if status >= 500:
        return stored("The model server reported an internal error")
    phrase = HTTPStatus(status).phrase if status in set(HTTPStatus) else stored("unknown status")
    return stored("The model server did not accept the request: %(phrase)s", phrase=phrase)
