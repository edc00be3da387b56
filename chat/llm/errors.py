"""What can go wrong between us and a model endpoint.

LLMError
├── MalformedConversation     what came in is not a canonical conversation
├── UnknownDialect            no dialect has this name
├── BadTemplate               a chat template cannot be rendered; has `reason` and `line`
└── ProviderFailure           one attempt at a model call failed; has `retryable` and `evidence`
    ├── ConnectFailed         no connection
    ├── ConnectionLost        the connection broke before the answer was complete
    ├── Stalled               nothing arrived for too long
    ├── NotHttp               what arrived is no HTTP response
    ├── Defect                something is wrong in this server: what arrived was not taken in
    ├── StatusFailure         an HTTP status that is not a success
    └── StreamFailure         a success by its status, and yet no complete answer
        ├── NotAStream        something else than an event stream: a web page, say
        ├── EmptyBody         not one byte
        ├── NoChunks          an event stream without a chunk in it
        ├── CutStream         the end came before a finish reason
        ├── BrokenChunk       an event that is not a JSON object
        ├── InvalidUtf8       bytes that are not text
        ├── Endless           more than an answer may have
        ├── Overdue           longer than an answer may take
        └── ProviderError     the provider reported an error within the stream

`str(error)` is a sentence for people. What a provider wrote is quoted in it, and may hold anything:
whoever stores or shows it replaces known secrets first, as in every payload.
"""

from http import HTTPStatus

from limits.models import MAX_FAILURE_EVIDENCE_BYTES, MAX_FAILURE_QUOTE

# RFC 9110, RFC 6585; 529 is Anthropic's "overloaded".
RETRYABLE_STATUSES = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
OUT_OF_QUOTA = (
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
    """Not a canonical conversation. The sentence says where and why."""


class UnknownDialect(LLMError):
    """No dialect has this name. The sentence lists those that there are."""


class BadTemplate(LLMError):
    """A chat template that cannot be read or rendered; `line`, from 1, is where, if it is known."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        where = f" in line {line}" if line else ""
        super().__init__(
            f"The chat template does not work{where}: {reason.rstrip('.')[:MAX_FAILURE_QUOTE]}."
        )
        self.reason = reason
        self.line = line


class ProviderFailure(LLMError):
    """One attempt failed. Another may succeed if `retryable`; `evidence` is what arrived, cut."""

    retryable = True
    sentence = "The model server failed."

    def __init__(self, detail: str = "", *, evidence: bytes = b"") -> None:
        quoted = detail.strip()[:MAX_FAILURE_QUOTE]
        super().__init__(f"{self.sentence} ({quoted})" if quoted else self.sentence)
        self.detail = detail
        self.evidence = evidence[:MAX_FAILURE_EVIDENCE_BYTES]


class ConnectFailed(ProviderFailure):
    """The server could not be reached."""

    sentence = "The model server could not be reached."


class ConnectionLost(ProviderFailure):
    """The connection broke in mid-answer."""

    sentence = "The connection to the model server broke before the answer was complete."


class Stalled(ProviderFailure):
    """Nothing arrived for `seconds`."""

    sentence = "The model server stopped sending."

    def __init__(self, seconds: float, *, evidence: bytes = b"") -> None:
        super().__init__(f"nothing arrived for {seconds:g} seconds", evidence=evidence)
        self.seconds = seconds


class NotHttp(ProviderFailure):
    """Bytes where a status line or headers should be: another service, or the rest of an answer
    that was longer than it was said to be."""

    sentence = "The model server did not answer with HTTP."


class Defect(ProviderFailure):
    """An error of this server's own."""

    retryable = False
    sentence = (
        "Internal error while the answer was processed. What arrived is in the trace. If it "
        "happens again, tell the operator."
    )


class StatusFailure(ProviderFailure):
    """An HTTP status that is not a success. `retry_after` is in seconds, if the server said one.
    `out_of_quota`: it said that the account has no credit left, which no wait will change."""

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
    """HTTP said success, and yet there is no complete answer."""


class NotAStream(StreamFailure):
    """A web page or another document in place of an event stream."""

    retryable = False
    sentence = "The model server did not answer with an event stream. Check the base URL."


class EmptyBody(StreamFailure):
    """Not one byte."""

    sentence = "The model server sent an empty answer."


class NoChunks(StreamFailure):
    """The stream ended before it said anything."""

    sentence = "The model server ended its stream without an answer."


class CutStream(StreamFailure):
    """The end came before a finish reason."""

    sentence = "The model server's answer was cut off before its end."


class BrokenChunk(StreamFailure):
    """An event whose data is not a JSON object; `evidence` has it."""

    sentence = "The model server sent data that cannot be parsed."


class InvalidUtf8(StreamFailure):
    """Bytes that are not UTF-8, the first at `offset` of the body."""

    sentence = "The model server sent data that is not valid UTF-8."

    def __init__(self, offset: int, *, evidence: bytes) -> None:
        super().__init__(f"invalid UTF-8 at byte {offset}", evidence=evidence)
        self.offset = offset


class Endless(StreamFailure):
    """More than `limit` bytes."""

    retryable = False
    sentence = "The model's answer is too long."

    def __init__(self, limit: int, *, evidence: bytes) -> None:
        super().__init__(f"stopped after {limit / 1048576:,.0f} MB", evidence=evidence)
        self.limit = limit


class Overdue(StreamFailure):
    """More than `seconds`, though something arrives again and again."""

    retryable = False
    sentence = "The model took too long."

    def __init__(self, seconds: float, *, evidence: bytes) -> None:
        super().__init__(f"stopped after {span_of_time(seconds)}", evidence=evidence)
        self.seconds = seconds


class ProviderError(StreamFailure):
    """The provider's own error object within a stream that had begun as a success."""

    sentence = "The model server reported an error."

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
    """In the largest unit that leaves two of it or more."""
    for length, unit in ((3600, "hours"), (60, "minutes")):
        if seconds >= 2 * length:
            return f"{seconds / length:,.3g} {unit}"
    return f"{seconds:,.3g} second{'' if seconds == 1 else 's'}"


def _status_sentence(status: int) -> str:
    if 300 <= status < 400:
        return "The model server redirects to another address; nothing was sent there"
    if status in (401, 403):
        return "The model server rejected the API key"
    if status == 404:
        return "The model server does not know this model or address"
    if status == 429:
        return "The model server received too many requests"
    if status >= 500:
        return "The model server reported an internal error"
    phrase = HTTPStatus(status).phrase if status in set(HTTPStatus) else "unknown status"
    return f"The model server did not accept the request: {phrase}"
