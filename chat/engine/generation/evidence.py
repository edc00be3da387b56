"""The payloads of a generation: what was sent, what came back, what it was taken for."""

from hashlib import sha256
from typing import Any

from chat.engine.generation.outcome import Generated
from chat.llm.recording import Headers
from chat.llm.redacted_events import redact_events, withheld
from chat.llm.redaction import redact
from chat.llm.served import ModelInput
from db.fields import dump_json
from limits.models import MAX_SEARCHED_FOR_SECRETS_BYTES
from tracing import recorder
from tracing.models import Archive, Span
from tracing.store import payloads
from tracing.store.encodings import unpacked


def records(span: Span, meant: ModelInput, generated: Generated) -> list[payloads.Record]:
    """The four stages of a generation's span, as far as it came, but for what is on record."""
    asked = asked_records(span, meant, generated)
    found = [record for record in asked if record not in generated.recorded]
    kept = generated.recording
    secrets = generated.secrets
    if kept.status is not None:
        arrived = kept.response_body
        body = _without_secrets(generated)
        attributes = {"status": kept.status, "headers": _redacted(kept.response_headers, secrets)}
        details = _details(arrived, body, attributes)
        details["chunks"] = kept.chunks
        found.append((span, "response", body, details))
    if generated.answer is not None:
        found.append((span, "output", dump_json(generated.output()).encode(), {}))
    return found


def close_generation(
    archive: Archive, span: Span, meant: ModelInput, generated: Generated, error: str | None = None
) -> None:
    """Writes what came of a generation outside of a turn. `error`: in place of its own sentence."""
    payloads.store_all(archive, records(span, meant, generated))
    error = generated.sentence if error is None else error
    recorder.close_span(span, generated.status, error, generated.described())


def asked_records(span: Span, meant: ModelInput, generated: Generated) -> list[payloads.Record]:
    """The stages `input` and, if it was sent by now, `request`."""
    kept = generated.recording
    asked: payloads.Record = (span, "input", dump_json(meant.described()).encode(), {})
    if kept.sent_at is None:
        return [asked]
    secrets = generated.secrets
    attributes = {
        "method": kept.method,
        "url": redact(kept.url.encode(), secrets).decode(),
        "headers": _redacted(kept.request_headers, secrets),
    }
    body = redact(kept.request_body, secrets)
    details = _details(kept.request_body, body, attributes)
    return [asked, (span, "request", body, details)]


def _without_secrets(generated: Generated) -> bytes:
    """The response's body, the same object if no secret was in it. One that is compressed and has a
    secret in it is kept unpacked."""
    body, secrets = generated.recording.response_body, generated.secrets
    plain = unpacked(body, generated.recording.response_headers, MAX_SEARCHED_FOR_SECRETS_BYTES)
    readable = redact(plain, secrets)
    if generated.repeats_secret:
        readable = redact_events(readable, secrets)
        if readable is plain:  # it is in what was read of the body, and nobody can tell where
            readable = withheld(plain)
    return redact(body, secrets) if readable is plain else readable


def _redacted(headers: Headers, secrets: tuple[str, ...]) -> Headers:
    """The headers; a provider may repeat the key in any of them."""
    return [
        (name, redact(value.encode(errors="replace"), secrets).decode()) for name, value in headers
    ]


def _details(body: bytes, kept: bytes, attributes: dict[str, Any]) -> payloads.Details:
    """Beside the bytes: if a secret was replaced, that it was, and the hash of what was sent."""
    details: payloads.Details = {"attributes": attributes}
    if kept is not body:
        details["redacted"] = True
        details["sha256_sent"] = sha256(body).digest()
    return details
