"""The outcome of one model call attempt: a value without rows."""

from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, cast

from chat.engine.generation.error_offsets import bytes_of_error
from chat.engine.worker.running_turns import Cut
from chat.llm import usage_estimate
from chat.llm.dialects.contract import Answer
from chat.llm.errors import ProviderFailure
from chat.llm.messages import Message as CanonicalMessage
from chat.llm.messages import ToolCall
from chat.llm.recording import Recording
from chat.llm.redaction import redact_quote
from db.fields import storable
from limits.models import MAX_REPORTED_TOKENS
from tracing.journal.cost import token_count
from tracing.models import Span
from tracing.models.attributes import GenerationAttributes
from tracing.store.encodings import decode_content
from tracing.store.payloads import Record

# Bytes of a compressed answer that are read for an estimate.
READ_BYTES = 16 << 20


@dataclass
class Generated:
    """Filled while the attempt runs. Exactly one of these ends it: an answer without an error, an
    `error`, or a `cut`; `answer` beside the latter two is the partial answer."""

    recording: Recording = field(default_factory=Recording)
    answer: Answer | None = None
    error: ProviderFailure | None = None
    cut: Cut | None = None
    # As the provider reported it.
    usage: dict[str, Any] | None = None
    finish_reason: str | None = None
    answering_model: str | None = None
    response_id: str | None = None
    notes: list[str] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    # Whether a text of the answer contains one of the secrets.
    repeats_secret: bool = False
    # Identity of the model's endpoint: what the dialect keeps of an answer is only sent back there.
    answered_by: str = ""
    # Payload records that are stored already.
    recorded: list[Record] = field(default_factory=list)

    def mark(self, name: str, seconds: float) -> None:
        """Sets a timing, which is stored in milliseconds."""
        self.timings[name] = round(seconds * 1000, 3)

    def tokens(self, name: str) -> int:
        """A number of the counted usage, such as `prompt_tokens`."""
        return min(token_count((self.counted_usage or {}).get(name)), MAX_REPORTED_TOKENS)

    @cached_property
    def counted_usage(self) -> dict[str, Any] | None:
        """What counts, of an attempt that has ended: estimated where a model has worked and its
        provider did not report it."""
        if not self._has_worked:
            return self.usage
        has_ended = self.error is None and self.cut is None
        return usage_estimate.counted_usage(
            self.usage or {}, has_ended=has_ended, estimated=self._estimated_tokens
        )

    @property
    def _has_worked(self) -> bool:
        """Whether the request was taken in, or was sent and cut before its answer began."""
        status = self.recording.status
        if status is None:
            return self.cut is not None and self.recording.sent_at is not None
        return not self.recording.is_refused

    def _estimated_tokens(self) -> tuple[int, int]:
        record = self.recording
        body = decode_content(record.response_body, record.response_headers, READ_BYTES)
        return (
            usage_estimate.request_tokens(record.request_body, record.request_headers),
            usage_estimate.answer_tokens(body, record.response_headers),
        )

    @property
    def sentence(self) -> str:
        """The error for people. It quotes the provider: secrets are replaced, and so are characters
        that a database refuses."""
        return redact_quote(storable(str(self.error or "")), self.secrets)

    @property
    def status(self) -> Span.Status:
        if self.cut is not None:
            return Span.Status.CANCELLED
        return Span.Status.FAILED if self.error is not None else Span.Status.SUCCEEDED

    @property
    def message(self) -> CanonicalMessage:
        """The canonical assistant message; of a failed or cut attempt without its tool calls."""
        assert self.answer is not None
        message = self.answer.message.copy()
        if self.answer.kept:
            message = cast(
                CanonicalMessage,
                {**message, **self.answer.kept, "kept_by": self.answered_by},
            )
        if self.cut is not None or self.error is not None:
            message.pop("tool_calls", None)
        return message

    @property
    def calls(self) -> list[ToolCall]:
        if self.answer is None or self.cut is not None or self.error is not None:
            return []
        return self.answer.tool_calls

    @property
    def has_text(self) -> bool:
        if self.answer is None:
            return False
        return bool(self.message.get("content") or self.message.get("reasoning_content"))

    def output(self) -> dict[str, Any]:
        """The `output` stage: how the answer was read."""
        assert self.answer is not None
        dialect_fields = {"kept": self.answer.kept} if self.answer.kept else {}
        places = [problem.place() for problem in self.answer.problems]
        return {
            "message": self.answer.message,
            **dialect_fields,
            "errors": self.answer.errors,
            **({"error_places": places} if places else {}),
            "origins": [asdict(origin) for origin in self.answer.origins],
            "reissued": self.answer.reissued,
        }

    def _evidence(self) -> str | None:
        """The text that shows the error where there is no response, such as the system's
        message."""
        if self.error is None or self.recording.status is not None or not self.error.evidence:
            return None
        return redact_quote(self.error.evidence.decode(errors="replace"), self.secrets)

    def attributes(self) -> GenerationAttributes:
        """The attributes with which the generation's span ends."""
        return {
            "status_code": self.recording.status,
            "usage": self.counted_usage,
            "finish_reason": self.finish_reason,
            "answering_model": self.answering_model,
            "response_id": self.response_id,
            "notes": [*self.notes, *(self.answer.notes if self.answer else [])],
            "errors": self.answer.errors if self.answer else [],
            "timings": self.timings,
            "cut": self.cut.value if self.cut else None,
            "error_kind": type(self.error).__name__ if self.error else None,
            "error_evidence": self._evidence(),
            "error_bytes": bytes_of_error(self.error, self.recording, self.secrets)
            if self.error
            else None,
        }
