"""The payloads of a generation: what was sent, what came back, what it was taken for."""

from hashlib import sha256
from typing import Any

from chat.engine.attempts import Attempt
from chat.engine.generated import Generated
from chat.llm.recording import redact
from tracing import payloads
from tracing.fields import dump_json


def records(attempt: Attempt, generated: Generated) -> list[payloads.Record]:
    """All four stages, as far as the attempt came."""
    found = asked_records(attempt, generated)
    kept = generated.recording
    secrets = _secrets(attempt)
    if kept.status is not None:
        arrived = kept.response_body
        body = redact(arrived, secrets)
        attributes = {"status": kept.status, "headers": kept.response_headers}
        details = _details(arrived, body, attributes)
        details["chunks"] = kept.chunks
        found.append((attempt.generation, "response", body, details))
    if generated.answer is not None:
        found.append((attempt.generation, "output", dump_json(generated.output()).encode(), {}))
    return found


def asked_records(attempt: Attempt, generated: Generated) -> list[payloads.Record]:
    """The stages `input` and, if it was sent by now, `request`."""
    kept = generated.recording
    meant: payloads.Record = (attempt.generation, "input", _input(attempt), {})
    if kept.sent_at is None:
        return [meant]
    secrets = _secrets(attempt)
    attributes = {
        "method": kept.method,
        "url": redact(kept.url.encode(), secrets).decode(),
        "headers": kept.request_headers,
    }
    body = redact(kept.request_body, secrets)
    details = _details(kept.request_body, body, attributes)
    return [meant, (attempt.generation, "request", body, details)]


def _input(attempt: Attempt) -> bytes:
    """What the application meant, before pre-processing."""
    meant = {
        "messages": attempt.asked,
        "tools": attempt.tools,
        "parameters": attempt.parameters,
    }
    return dump_json(meant).encode()


def _secrets(attempt: Attempt) -> tuple[str, ...]:
    return (attempt.model.provider.api_key,)


def _details(body: bytes, kept: bytes, attributes: dict[str, Any]) -> payloads.Details:
    """Beside the bytes: if a secret was replaced, that it was, and the hash of what was sent."""
    details: payloads.Details = {"attributes": attributes}
    if kept is not body:
        details["redacted"] = True
        details["sha256_sent"] = sha256(body).digest()
    return details
