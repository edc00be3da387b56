"""The bytes of a response that show an error: the trace page marks them."""

from chat.llm.errors import (
    BrokenChunk,
    EmptyBody,
    InvalidUtf8,
    NoChunks,
    NotAStream,
    ProviderError,
    ProviderFailure,
    StatusFailure,
)
from chat.llm.recording import Recording
from chat.llm.redaction import redact
from tracing.store.encodings import decode_content

Range = tuple[int, int]


def bytes_of_error(
    error: ProviderFailure, recording: Recording, secrets: tuple[str, ...]
) -> Range | None:
    """Begin and end (exclusive) in the stored body: of a refusal the body, of a broken event or a
    reported error that event, of invalid UTF-8 its first byte, else the last chunk. None if nothing
    arrived, or if the body is compressed."""
    body = recording.response_body
    if not body or decode_content(body, recording.response_headers, 1) is not body:
        return None
    if isinstance(error, InvalidUtf8):
        return _within(error.offset, error.offset + 1, body)
    body = redact(body, secrets)
    if isinstance(error, StatusFailure | NotAStream | NoChunks | EmptyBody):
        return 0, len(body)
    if isinstance(error, BrokenChunk | ProviderError):
        event = redact(error.evidence, secrets)
        at = body.rfind(event) if event else -1
        if at >= 0:
            return at, at + len(event)
    if not recording.chunks:
        return None
    return _within(len(body) - recording.chunks[-1][1], len(body), body)


def _within(start: int, end: int, body: bytes) -> Range | None:
    start, end = max(0, start), min(end, len(body))
    return (start, end) if start < end else None
