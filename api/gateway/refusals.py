"""What the gateway answers itself, in the form of the provider whose client asks.

Refusal
├── BadRequest        400   the address or the framing is doubtful
├── NotPermitted      401, 403, 404
├── TooLarge          413
├── TooMany           429   a limit, with the seconds until it opens again
└── NoAnswer          502, 504   the provider is unreachable or silent
"""

from typing import Any

from db.fields import dump_json

_ANTHROPIC_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    415: "invalid_request_error",
    429: "rate_limit_error",
    504: "timeout_error",
}
_OPENAI_TYPES = {429: "rate_limit_exceeded", 502: "server_error", 504: "server_error"}


class Refusal(Exception):
    """`status`: of HTTP. `code`: for programs. The message is a sentence for people."""

    status = 400
    code = "invalid_request"

    def __init__(self, sentence: str, status: int | None = None, code: str = "") -> None:
        super().__init__(sentence)
        self.status = status or self.status
        self.code = code or self.code

    def headers(self) -> list[tuple[bytes, bytes]]:
        return []


class BadRequest(Refusal):
    """The connection is closed: where the next request begins may be doubtful too."""

    def headers(self) -> list[tuple[bytes, bytes]]:
        return [(b"connection", b"close")]


class NotPermitted(Refusal):
    status, code = 401, "invalid_api_key"

    def headers(self) -> list[tuple[bytes, bytes]]:
        return [(b"www-authenticate", b"Bearer")] if self.status == 401 else []


class TooLarge(Refusal):
    status, code = 413, "request_too_large"


class TooMany(Refusal):
    """`retry_after`: seconds."""

    status, code = 429, "rate_limit_exceeded"

    def __init__(self, sentence: str, retry_after: int | None = None) -> None:
        super().__init__(sentence)
        self.retry_after = max(1, retry_after or 1)

    def headers(self) -> list[tuple[bytes, bytes]]:
        return [(b"retry-after", str(self.retry_after).encode())]


class NoAnswer(Refusal):
    status, code = 502, "provider_unreachable"


def visible(name: str) -> str:
    """The beginning of a name that a caller wrote, in ASCII."""
    return ascii(name[:80])[1:-1]


def body_of(refusal: Refusal, *, for_anthropic: bool) -> bytes:
    """The JSON that clients of the provider read: OpenAI's errors, or Anthropic's."""
    value: dict[str, Any]
    if for_anthropic:
        kind = _ANTHROPIC_TYPES.get(refusal.status, "api_error")
        value = {"type": "error", "error": {"type": kind, "message": str(refusal)}}
    else:
        kind = _OPENAI_TYPES.get(refusal.status, "invalid_request_error")
        error = {"message": str(refusal), "type": kind, "param": None, "code": refusal.code}
        value = {"error": error}
    return dump_json(value).encode()
