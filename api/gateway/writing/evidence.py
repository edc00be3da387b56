"""The payloads of a call: `input`, `request`, `response` and `output`, with no secret in them."""

from hashlib import sha256
from typing import Any

from api.gateway.call import MASK, Call, Pairs
from api.gateway.reading.answered import Answered
from api.gateway.reading.given import Given
from chat.llm.redaction import redact
from db.fields import dump_json
from limits.models import MAX_SEARCHED_FOR_SECRETS_BYTES
from tracing.models import Span
from tracing.store import payloads
from tracing.store.encodings import decode_content

_MASKED = frozenset(
    {"authorization", "x-api-key", "api-key", "cookie", "set-cookie", "proxy-authorization"}
)


def records(span: Span, call: Call, given: Given, answered: Answered) -> list[payloads.Record]:
    stages: list[payloads.Record] = []
    if given.protocol:
        stages.append((span, "input", _json(given.described(), call), {}))
    stages.append(_request(span, call))
    if call.status is not None:
        stages.append(_response(span, call))
    output = answered.output()
    if output is not None:
        stages.append((span, "output", _json(output, call), {}))
    return stages


def _request(span: Span, call: Call) -> payloads.Record:
    sent = b"".join(call.request)
    attributes: dict[str, Any] = {
        "method": call.method,
        "url": _redacted(call.url, call),
        "headers": _headers([*call.request_headers, *call.route.credentials], call),
    }
    return span, "request", *_body(sent, redact(sent, call.secrets), attributes)


def _response(span: Span, call: Call) -> payloads.Record:
    arrived = b"".join(call.response)
    attributes = {"status": call.status, "headers": _headers(call.response_headers, call)}
    plain = decode_content(arrived, call.response_headers, MAX_SEARCHED_FOR_SECRETS_BYTES)
    readable = redact(plain, call.secrets)
    kept = redact(arrived, call.secrets) if readable is plain else readable
    stored_body, details = _body(arrived, kept, attributes)
    return span, "response", stored_body, {**details, "chunks": call.chunks}


def _body(sent: bytes, kept: bytes, attributes: dict[str, Any]) -> tuple[bytes, payloads.Details]:
    """What is stored; if a secret was replaced in it, also the hash of the original."""
    details: payloads.Details = {"attributes": attributes}
    if kept is not sent:
        details["redacted"] = True
        details["sha256_sent"] = sha256(sent).digest()
    return kept, details


def _headers(headers: Pairs, call: Call) -> list[list[str]]:
    return [
        [name, MASK if name.lower() in _MASKED else _redacted(value, call)]
        for name, value in headers
    ]


def _redacted(text: str, call: Call) -> str:
    return redact(text.encode(errors="replace"), call.secrets).decode()


def _json(value: dict[str, Any], call: Call) -> bytes:
    return redact(dump_json(value).encode(), call.secrets)
