"""Refusals of ASGI middleware, before Django has seen a request: a sentence, or for a program of
the API a problem (RFC 9457), for one of OpenAI's API an error as that writes it."""

import json
from collections.abc import Sequence
from typing import Any

from api import problems
from api.openai.errors import OpenAIError
from api.problems import Problem

API = "/api/"
KINDS = {
    401: problems.UNAUTHENTICATED,
    408: problems.TOO_SLOW,
    413: problems.TOO_LARGE,
    429: problems.LIMIT_REACHED,
}
V1 = "/v1/"
CODES = {
    401: "invalid_api_key",
    408: "request_timeout",
    413: "request_too_large",
    429: "rate_limit_exceeded",
}
Headers = Sequence[tuple[bytes, bytes]]


async def refuse(
    scope: dict[str, Any], send: Any, status: int, sentence: str, headers: Headers = ()
) -> None:
    """Sends the whole response, and has the connection closed."""
    kind, body = "text/plain; charset=utf-8", sentence
    path = scope.get("path", "")
    if path.startswith(API):
        kind = problems.CONTENT_TYPE
        body = json.dumps(Problem(KINDS[status], sentence.strip()).described(path))
    elif path.startswith(V1):
        kind = "application/json"
        body = json.dumps(OpenAIError(status, sentence.strip(), code=CODES[status]).described())
    content = body.encode()
    all_headers = [
        (b"content-type", kind.encode()),
        (b"content-length", str(len(content)).encode()),
        (b"connection", b"close"),
        *headers,
    ]
    await send({"type": "http.response.start", "status": status, "headers": all_headers})
    await send({"type": "http.response.body", "body": content})
