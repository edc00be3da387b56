"""A check for its page, read from its trace: one entry for each model call."""

from dataclasses import dataclass
from typing import Any

from chat.models import LanguageModel
from chat.presentation.text import one_line
from chat.providers.advice import advice
from limits.models import MAX_CHECK_TEXT
from tracing.errors import PayloadCorrupt
from tracing.models import Payload, Span, Trace
from tracing.models.attributes import generation_attributes, trace_attributes
from tracing.store import payloads


@dataclass(frozen=True)
class CheckedCall:
    """A tool call of the model; its arguments on one line."""

    name: str
    arguments: str


@dataclass(frozen=True)
class CheckRound:
    """One model call. Unknown values are None or empty."""

    span: Span
    dialect: str
    http_status: int | None
    first_token_ms: float | None
    tokens_per_s: float | None
    tokens_in: int | None
    tokens_out: int | None
    finish_reason: str
    text: str
    reasoning: str
    calls: list[CheckedCall]
    had_tools: bool
    notes: list[str]
    error: str
    advice: str


@dataclass(frozen=True)
class Outcome:
    """The state of a check: its kind, trace and rounds so far."""

    kind: str
    trace: Trace
    rounds: list[CheckRound]

    @property
    def advice(self) -> str:
        """Advice about the error, if there is one."""
        return next((each.advice for each in self.rounds if each.error), "")


def read(model: LanguageModel) -> Outcome | None:
    """The model's latest check; None before the first."""
    trace = model.check_trace
    if trace is None:
        return None
    spans = list(trace.spans.filter(kind=Span.Kind.GENERATION).order_by("id"))
    stored = Payload.objects.filter(span__in=spans, stage__in=["input", "output"])
    stages: dict[tuple[int, str], Any] = {}
    for payload in stored.select_related("span__trace"):
        stages[payload.span_id, payload.stage] = _value(payload)
    kind = str(trace_attributes(trace).get("check", ""))
    return Outcome(kind, trace, [_round(span, stages) for span in spans])


def _value(payload: Payload) -> Any:
    try:
        value = payloads.read_json(payload)
    except (ValueError, PayloadCorrupt):
        return {}
    return value if isinstance(value, dict) else {}


def _round(span: Span, stages: dict[tuple[int, str], Any]) -> CheckRound:
    attributes = generation_attributes(span)
    usage, timings = attributes.get("usage") or {}, attributes.get("timings") or {}
    message = stages.get((span.pk, "output"), {}).get("message", {})
    tokens_out = _count(usage.get("completion_tokens"))
    return CheckRound(
        span=span,
        dialect=attributes.get("dialect", ""),
        http_status=attributes.get("status_code"),
        first_token_ms=timings.get("first_token_ms"),
        tokens_per_s=_rate(tokens_out, timings.get("stream_ms")),
        tokens_in=_count(usage.get("prompt_tokens")),
        tokens_out=tokens_out,
        finish_reason=attributes.get("finish_reason") or "",
        text=str(message.get("content") or "")[:MAX_CHECK_TEXT].strip(),
        reasoning=str(message.get("reasoning_content") or "")[:MAX_CHECK_TEXT].strip(),
        calls=[_checked_call(call) for call in message.get("tool_calls", ())],
        had_tools=bool(stages.get((span.pk, "input"), {}).get("tools")),
        notes=attributes.get("notes") or [],
        error=span.error,
        advice=advice(attributes.get("error_kind") or "", attributes.get("status_code")),
    )


def _checked_call(call: dict[str, Any]) -> CheckedCall:
    function = call.get("function", {})
    return CheckedCall(
        str(function.get("name", "")), one_line(str(function.get("arguments", "")), 200)
    )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _rate(tokens: int | None, ms: float | None) -> float | None:
    """Tokens per second; None where the stream was too short."""
    return tokens / ms * 1000 if tokens and tokens > 1 and ms and ms >= 1 else None
