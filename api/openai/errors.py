"""Refusals and failures as OpenAI writes them: `{"error": {message, type, param, code}}`."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpResponse
from django.utils import timezone

from chat.errors import Rejected
from tokens.access import ScopeMissing, TokenRefused

logger = logging.getLogger(__name__)

INVALID = "invalid_request_error"
SERVER = "server_error"
# The SDK would send it again after a 409 or 5xx; the engine has tried again already.
NO_RETRY = {"x-should-retry": "false"}


@dataclass(eq=False)
class OpenAIError(Exception):
    """An answer that is an error; may be raised anywhere below a view."""

    status: int
    message: str
    kind: str = INVALID
    param: str | None = None
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.message

    def described(self) -> dict[str, Any]:
        return {
            "error": {
                "message": self.message,
                "type": self.kind,
                "param": self.param,
                "code": self.code,
            }
        }

    def response(self) -> HttpResponse:
        body = json.dumps(self.described(), ensure_ascii=True)
        return HttpResponse(
            body, content_type="application/json", status=self.status, headers=dict(self.headers)
        )


def refused(param: str, message: str, code: str = "invalid_value") -> OpenAIError:
    """A field whose value does not fit."""
    return OpenAIError(400, message, param=param, code=code)


def unsupported(param: str, why: str) -> OpenAIError:
    """A field, or a value of it, of OpenAI's API that does nothing here."""
    return OpenAIError(
        400, f"“{param}” is not supported here: {why}", param=param, code="unsupported_parameter"
    )


def not_found(what: str, code: str, param: str | None = None) -> OpenAIError:
    return OpenAIError(404, what, param=param, code=code)


def error_of(error: Exception) -> OpenAIError:
    """What an exception is answered. One that nobody expected is logged."""
    match error:
        case OpenAIError():
            return error
        case TokenRefused():
            challenge = {"WWW-Authenticate": "Bearer"}
            return OpenAIError(401, str(error), code="invalid_api_key", headers=challenge)
        case ScopeMissing():
            return OpenAIError(403, str(error), code="insufficient_scope")
        case Rejected():
            return _of_rejection(error)
    logger.error("A call of /v1 failed", exc_info=error)
    message = "The server failed; its log says why."
    return OpenAIError(500, message, SERVER, code="internal_error", headers=NO_RETRY)


def _of_rejection(error: Rejected) -> OpenAIError:
    """A limit says when it opens again, in whole seconds (RFC 9110, 10.2.3)."""
    if not hasattr(error, "limit"):
        return OpenAIError(400, str(error), code="rejected")
    opens_at, headers = getattr(error, "opens_at", None), {}
    if opens_at is not None:
        seconds = (opens_at - timezone.now()).total_seconds()
        headers = {"Retry-After": str(max(1, round(seconds + 0.5)))}
    kind = "rate_limit_error"
    return OpenAIError(429, str(error), kind, code="rate_limit_exceeded", headers=headers)
