"""The payloads of a generation: the stages `input`, `request`, `response` and `output`."""

from hashlib import sha256
from typing import Any

from chat.engine.generation.outcome import Generated
from chat.llm.recording import Headers
from chat.llm.redacted_events import redact_events, withheld
from chat.llm.redaction import redact
from chat.llm.served import ModelInput
from chat.quotas import admission
from db.fields import dump_json
from limits.models import MAX_SEARCHED_FOR_SECRETS_BYTES
from tracing import recorder
from tracing.models import Archive, Span
from tracing.store import payloads
from tracing.store.encodings import decode_content


def records(span: Span, meant: ModelInput, generated: Generated) -> list[payloads.Record]:
    """The stages that this generation has and that are not stored yet."""
    stages = [
        record
        for record in request_records(span, meant, generated)
        if record not in generated.recorded
    ]
    recording, secrets = generated.recording, generated.secrets
    if recording.status is not None:
        body = _body_without_secrets(generated)
        headers = _redact_headers(recording.response_headers, secrets)
        attributes = {"status": recording.status, "headers": headers}
        details = _details(recording.response_body, body, attributes)
        details["chunks"] = recording.chunks
        stages.append((span, "response", body, details))
    if generated.answer is not None:
        stages.append((span, "output", dump_json(generated.output()).encode(), {}))
    return stages


def finish_generation_without_turn(
    archive: Archive, span: Span, meant: ModelInput, generated: Generated, error: str | None = None
) -> None:
    """Writes the outcome of a generation of a check or a playground. `error` replaces its
    sentence."""
    payloads.store_all(archive, records(span, meant, generated))
    error = generated.sentence if error is None else error
    recorder.close_span(span, generated.status, error, generated.attributes())
    admission.count_usage(archive.owner_id)


def request_records(span: Span, meant: ModelInput, generated: Generated) -> list[payloads.Record]:
    """The stage `input`, and the stage `request` if the request has been sent."""
    recording, secrets = generated.recording, generated.secrets
    model_input: payloads.Record = (span, "input", dump_json(meant.described()).encode(), {})
    if recording.sent_at is None:
        return [model_input]
    attributes = {
        "method": recording.method,
        "url": redact(recording.url.encode(), secrets).decode(),
        "headers": _redact_headers(recording.request_headers, secrets),
    }
    body = redact(recording.request_body, secrets)
    details = _details(recording.request_body, body, attributes)
    return [model_input, (span, "request", body, details)]


def _body_without_secrets(generated: Generated) -> bytes:
    """The response's body; the same object if it contains no secret. A compressed body that
    contains one is stored unpacked."""
    body, secrets = generated.recording.response_body, generated.secrets
    plain = decode_content(
        body, generated.recording.response_headers, MAX_SEARCHED_FOR_SECRETS_BYTES
    )
    readable = redact(plain, secrets)
    if generated.repeats_secret:
        readable = redact_events(readable, secrets)
        if readable is plain:  # the answer contains a secret, but its place in the body is unknown
            readable = withheld(plain)
    return redact(body, secrets) if readable is plain else readable


def _redact_headers(headers: Headers, secrets: tuple[str, ...]) -> Headers:
    """A provider may repeat the key in any header."""
    return [
        (name, redact(value.encode(errors="replace"), secrets).decode()) for name, value in headers
    ]


def _details(body: bytes, redacted: bytes, attributes: dict[str, Any]) -> payloads.Details:
    """What is stored beside the bytes; if a secret was replaced, also the hash of the original."""
    details: payloads.Details = {"attributes": attributes}
    if redacted is not body:
        details["redacted"] = True
        details["sha256_sent"] = sha256(body).digest()
    return details
