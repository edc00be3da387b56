"""What a check showed, from its trace: one entry for each call that it made."""

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
class Call:
    """A tool call that the model asked for; the arguments in one line."""

    name: str
    arguments: str


@dataclass(frozen=True)
class Try:
    """One call of the model. What is not known is None or empty."""

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
    calls: list[Call]
    had_tools: bool
    notes: list[str]
    error: str
    advice: str


@dataclass(frozen=True)
class Outcome:
    """A check as it stands: what it was, its trace, its calls so far."""

    what: str
    trace: Trace
    tries: list[Try]

    @property
    def advice(self) -> str:
        """What to do about the error, if there is one."""
        return next((each.advice for each in self.tries if each.error), "")


def read(model: LanguageModel) -> Outcome | None:
    """What is known of the model's latest check; None before the first."""
    trace = model.check_trace
    if trace is None:
        return None
    spans = list(trace.spans.filter(kind=Span.Kind.GENERATION).order_by("id"))
    kept = Payload.objects.filter(span__in=spans, stage__in=["input", "output"])
    stages: dict[tuple[int, str], Any] = {}
    for payload in kept.select_related("span__trace"):
        stages[payload.span_id, payload.stage] = _value(payload)
    what = str(trace_attributes(trace).get("check", ""))
    return Outcome(what, trace, [_try(span, stages) for span in spans])


def _value(payload: Payload) -> Any:
    try:
        value = payloads.read_json(payload)
    except (ValueError, PayloadCorrupt):
        return {}
    return value if isinstance(value, dict) else {}


def _try(span: Span, stages: dict[tuple[int, str], Any]) -> Try:
    noted = generation_attributes(span)
    usage, timings = noted.get("usage") or {}, noted.get("timings") or {}
    message = stages.get((span.pk, "output"), {}).get("message", {})
    tokens_out = _count(usage.get("completion_tokens"))
    return Try(
        span=span,
        dialect=noted.get("dialect", ""),
        http_status=noted.get("status_code"),
        first_token_ms=timings.get("first_token_ms"),
        tokens_per_s=_rate(tokens_out, timings.get("stream_ms")),
        tokens_in=_count(usage.get("prompt_tokens")),
        tokens_out=tokens_out,
        finish_reason=noted.get("finish_reason") or "",
        text=str(message.get("content") or "")[:MAX_CHECK_TEXT].strip(),
        reasoning=str(message.get("reasoning_content") or "")[:MAX_CHECK_TEXT].strip(),
        calls=[_call(call) for call in message.get("tool_calls", ())],
        had_tools=bool(stages.get((span.pk, "input"), {}).get("tools")),
        notes=noted.get("notes") or [],
        error=span.error,
        advice=advice(noted.get("error_kind") or "", noted.get("status_code")),
    )


def _call(call: dict[str, Any]) -> Call:
    function = call.get("function", {})
    return Call(str(function.get("name", "")), one_line(str(function.get("arguments", "")), 200))


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _rate(tokens: int | None, ms: float | None) -> float | None:
    """Tokens a second; None where the stream was too short to tell."""
    return tokens / ms * 1000 if tokens and tokens > 1 and ms and ms >= 1 else None
