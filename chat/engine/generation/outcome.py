"""What came of one model call attempt: a value without rows."""

from dataclasses import asdict, dataclass, field
from typing import Any, cast

from chat.engine.generation.error_offsets import bytes_of_error
from chat.engine.worker.running import Cut
from chat.llm.dialects.contract import Answer
from chat.llm.errors import ProviderFailure
from chat.llm.messages import Message as CanonicalMessage
from chat.llm.messages import ToolCall
from chat.llm.recording import Recording
from chat.llm.redaction import redact_quote
from db.fields import storable
from limits.models import MAX_REPORTED_TOKENS
from tracing.journal.cost import counted
from tracing.models import Span
from tracing.models.attributes import GenerationAttributes
from tracing.store.payloads import Record


@dataclass
class Generated:
    """Filled while the attempt runs. Exactly one of these ends it: an answer without an error, an
    `error`, or a `cut`; `answer` beside the latter two is what had been said until then."""

    recording: Recording = field(default_factory=Recording)
    answer: Answer | None = None
    error: ProviderFailure | None = None
    cut: Cut | None = None
    usage: dict[str, Any] | None = None
    finish_reason: str | None = None
    answering_model: str | None = None
    response_id: str | None = None
    notes: list[str] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    # Whether one of them was in a text of the answer.
    repeats_secret: bool = False
    # Who was asked: what the dialect kept of the answer is only for them.
    answered_by: str = ""
    # What is on record by now: stages are as they were, or another record.
    recorded: list[Record] = field(default_factory=list)

    def mark(self, name: str, seconds: float) -> None:
        """Notes a duration; it is kept in milliseconds."""
        self.timings[name] = round(seconds * 1000, 3)

    def tokens(self, name: str) -> int:
        """A figure of the usage, such as `prompt_tokens`; 0 where nothing was counted."""
        return min(counted((self.usage or {}).get(name)), MAX_REPORTED_TOKENS)

    @property
    def sentence(self) -> str:
        """The error for people. It quotes the provider, who may have quoted the key, or anything
        that not every database takes."""
        return redact_quote(storable(str(self.error or "")), self.secrets)

    @property
    def status(self) -> Span.Status:
        if self.cut is not None:
            return Span.Status.CANCELLED
        return Span.Status.FAILED if self.error is not None else Span.Status.SUCCEEDED

    @property
    def message(self) -> CanonicalMessage:
        """The canonical assistant message; of a cut attempt, its text without unfinished calls."""
        assert self.answer is not None
        message = self.answer.message.copy()
        if self.answer.kept:
            kept = {**self.answer.kept, "kept_by": self.answered_by}
            message = cast(CanonicalMessage, {**message, **kept})
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
        """The `output` stage: what the answer was taken for."""
        assert self.answer is not None
        kept = {"kept": self.answer.kept} if self.answer.kept else {}
        places = [problem.place() for problem in self.answer.problems]
        return {
            "message": self.answer.message,
            **kept,
            "errors": self.answer.errors,
            **({"error_places": places} if places else {}),
            "origins": [asdict(origin) for origin in self.answer.origins],
            "reissued": self.answer.reissued,
        }

    def _evidence(self) -> str | None:
        """What shows the error, if no response does: the words of the system."""
        if self.error is None or self.recording.status is not None or not self.error.evidence:
            return None
        return redact_quote(self.error.evidence.decode(errors="replace"), self.secrets)

    def described(self) -> GenerationAttributes:
        """What the span records beside the payloads."""
        return {
            "status_code": self.recording.status,
            "usage": self.usage,
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
