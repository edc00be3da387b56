"""Refusals for programs: `application/problem+json` (RFC 9457).

`type` is a place in the documentation page, relative to the request's address; `title` is the same
for all problems of a type; `detail` is a sentence on this one, in the language that the request
asks for. Other members belong to a type: the documentation page names them.
"""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.utils.translation import gettext

from chat.errors import Invalid, Rejected
from chat.quotas.errors import QuotaExceeded
from tokens.access import ScopeMissing, TokenRefused

logger = logging.getLogger(__name__)

CONTENT_TYPE = "application/problem+json"
DOCUMENTATION = "/api/docs#problem-"


@dataclass(frozen=True)
class Kind:
    """A type of problem: its name in `type`, its status, its title, and what it means."""

    name: str
    status: int
    title: str
    meaning: str


MALFORMED = Kind("malformed", 400, "Malformed request", "The body or a header cannot be read.")
UNAUTHENTICATED = Kind(
    "unauthenticated", 401, "Not authenticated", "There is no valid bearer token."
)
SCOPE_MISSING = Kind(
    "scope", 403, "Scope missing", "The token lacks the scope that the member `scope` names."
)
FORBIDDEN = Kind("forbidden", 403, "Forbidden", "The token's person may not do that.")
NOT_FOUND = Kind("not-found", 404, "Not found", "There is no such thing, or not for this person.")
NOT_ALLOWED = Kind(
    "method", 405, "Method not allowed", "The header `Allow` names the methods of this address."
)
TOO_SLOW = Kind("too-slow", 408, "Too slow", "The body came too slowly.")
CONFLICT = Kind("conflict", 409, "Conflict", "It is in a state in which this cannot be done.")
PRECONDITION = Kind(
    "precondition", 412, "Changed meanwhile", "The thing is not what `If-Match` names any more."
)
TOO_LARGE = Kind("too-large", 413, "Too large", "The body is longer than this operation takes.")
RANGE = Kind(
    "range", 416, "Range not satisfiable", "The content is shorter than the range; it has `size` B."
)
INVALID = Kind(
    "invalid", 422, "Invalid", "A value does not fit; `errors` says for each of them where and why."
)
REJECTED = Kind("rejected", 422, "Rejected", "It cannot be done; `detail` says why.")
KEY_REUSED = Kind(
    "key-reused",
    422,
    "Idempotency key reused",
    "The key was sent before, with another request.",
)
LIMIT_REACHED = Kind(
    "limit",
    429,
    "Limit reached",
    "`limit` names the limit, `left` what remains, `opens_at` when it opens again.",
)
UNAVAILABLE = Kind("unavailable", 503, "Unavailable", "A part of the server does not answer now.")
INTERNAL = Kind("internal", 500, "Internal error", "The server failed; its log says why.")

KINDS = (
    MALFORMED,
    UNAUTHENTICATED,
    SCOPE_MISSING,
    FORBIDDEN,
    NOT_FOUND,
    NOT_ALLOWED,
    TOO_SLOW,
    CONFLICT,
    PRECONDITION,
    TOO_LARGE,
    RANGE,
    INVALID,
    REJECTED,
    KEY_REUSED,
    LIMIT_REACHED,
    UNAVAILABLE,
    INTERNAL,
)


@dataclass(eq=False)
class Problem(Exception):
    """A refusal; may be raised by an operation."""

    kind: Kind
    detail: str = ""
    members: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def described(self, instance: str) -> dict[str, Any]:
        """The document; `instance` is the address of the request."""
        return {
            "type": DOCUMENTATION + self.kind.name,
            "title": self.kind.title,
            "status": self.kind.status,
            "detail": self.detail or self.kind.meaning,
            "instance": instance,
            **self.members,
        }

    def response(self, instance: str) -> HttpResponse:
        text = json.dumps(self.described(instance))
        headers = {"Cache-Control": "private, no-store", **self.headers}
        return HttpResponse(
            text, status=self.kind.status, content_type=CONTENT_TYPE, headers=headers
        )


def problem_of(error: Exception) -> Problem:
    """The problem that an error is for a program. Of what is not expected it says nothing, and
    the log has it."""
    match error:
        case Problem():
            return error
        case TokenRefused():
            return Problem(UNAUTHENTICATED, str(error), headers=_challenge("invalid_token"))
        case ScopeMissing():
            scope = error.scope.value
            headers = _challenge("insufficient_scope", scope=scope)
            return Problem(SCOPE_MISSING, str(error), {"scope": scope}, headers)
        case QuotaExceeded():
            return _limit_reached(error)
        case Invalid():
            errors = [{"where": name, "why": why} for name, why in error.fields.items()]
            return Problem(INVALID, str(error), {"errors": errors})
        case Rejected():
            return Problem(REJECTED, str(error))
        case Http404():
            return Problem(
                NOT_FOUND,
                gettext("This does not exist. It may have been deleted, or be another's."),
            )
        case PermissionDenied():
            return Problem(FORBIDDEN, gettext("You may not do that."))
    logger.error("A request of a program failed", exc_info=error)
    return Problem(INTERNAL)


def _limit_reached(error: QuotaExceeded) -> Problem:
    opens = error.opens_at.isoformat() if error.opens_at else None
    members = {"limit": error.limit, "left": error.left, "amount": error.amount, "opens_at": opens}
    wait = error.retry_after
    headers = {} if wait is None else {"Retry-After": str(wait)}
    return Problem(LIMIT_REACHED, str(error), members, headers)


def _challenge(error: str, **parameters: str) -> dict[str, str]:
    """RFC 6750, 3."""
    named = {"realm": "Roundtrip", "error": error, **parameters}
    text = ", ".join(f'{name}="{value}"' for name, value in named.items())
    return {"WWW-Authenticate": f"Bearer {text}"}
