"""Where in a response an error stands: the bytes that the trace marks."""

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
    error: ProviderFailure, kept: Recording, secrets: tuple[str, ...]
) -> Range | None:
    """The first byte in the stored body, and the one behind the last: of a refusal its body, of a
    broken event or a reported error that event, of bytes that are no text the first of them, else
    the piece that arrived last. None if nothing arrived, or it came compressed."""
    body = kept.response_body
    if not body or decode_content(body, kept.response_headers, 1) is not body:
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
    return _within(len(body) - kept.chunks[-1][1], len(body), body) if kept.chunks else None


def _within(start: int, end: int, body: bytes) -> Range | None:
    start, end = max(0, start), min(end, len(body))
    return (start, end) if start < end else None
