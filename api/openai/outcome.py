"""What a turn has come to, read from the database."""

from dataclasses import dataclass, field
from typing import Any

from api.openai.errors import INVALID, NO_RETRY, SERVER, OpenAIError
from chat.llm.messages import Message as CanonicalMessage
from chat.llm.messages import ToolCall, text_of
from chat.models import Message, Turn
from languages.stored import shown
from tracing.models import Span
from tracing.models.attributes import call_attributes, generation_attributes

# Between the texts of two rounds.
GAP = "\n\n"
REASONS = {"length": "length", "content_filter": "content_filter", "max_tokens": "length"}


@dataclass(frozen=True)
class ShownCall:
    """A call of an assistant's own tool, for a client that asks to see them."""

    id: str
    name: str
    arguments: str
    result: str
    is_error: bool

    def described(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass(frozen=True)
class Outcome:
    """`text` and `reasoning` are those of all rounds; `calls` are for the client to run. `status`
    is the turn's; `failure` says why there is no whole answer."""

    status: str
    text: str = ""
    reasoning: str = ""
    refusal: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    finish_reason: str = "stop"
    tokens_in: int = 0
    tokens_out: int = 0
    cached: int = 0
    reasoned: int = 0
    shown_calls: tuple[ShownCall, ...] = ()
    failure: OpenAIError | None = None

    @property
    def is_over(self) -> bool:
        return self.status not in Turn.OPEN


def read(turn: Turn, *, with_tools: bool = False) -> Outcome:
    """Of a turn whose row is up to date."""
    rows = Message.objects.filter(turn=turn, role__in=["assistant", "tool"]).order_by("id")
    bodies: list[CanonicalMessage] = list(rows.values_list("body", flat=True))
    answers = [one for one in bodies if one["role"] == "assistant"]
    generation = _latest_generation(turn)
    attributes = generation_attributes(generation) if generation else {}
    calls = answers[-1].get("tool_calls") or [] if answers and bodies[-1] is answers[-1] else []
    reason = REASONS.get(attributes.get("finish_reason") or "", "stop")
    usage = attributes.get("usage") or {}
    return Outcome(
        status=str(turn.status),
        text=GAP.join(filter(None, (text_of(one.get("content")) for one in answers))),
        reasoning=GAP.join(filter(None, (one.get("reasoning_content") for one in answers))),
        refusal=answers[-1].get("refusal", "") if answers else "",
        calls=list(calls),
        finish_reason="tool_calls" if calls else reason,
        tokens_in=turn.tokens_in,
        tokens_out=turn.tokens_out,
        cached=_detail(usage, "prompt_tokens_details", "cached_tokens"),
        reasoned=_detail(usage, "completion_tokens_details", "reasoning_tokens"),
        shown_calls=_shown_calls(turn, bodies) if with_tools else (),
        failure=_failure(turn, attributes),
    )


def _latest_generation(turn: Turn) -> Span | None:
    generations = Span.objects.filter(
        trace=turn.trace_id, kind=Span.Kind.GENERATION, parent__kind=Span.Kind.ROUND
    )
    return generations.order_by("-id").first() if turn.trace_id else None


def _detail(usage: Any, group: str, name: str) -> int:
    found = (usage.get(group) or {}).get(name) if isinstance(usage, dict) else 0
    return found if isinstance(found, int) else 0


def _shown_calls(turn: Turn, bodies: list[CanonicalMessage]) -> tuple[ShownCall, ...]:
    results = {one["tool_call_id"]: one for one in bodies if one["role"] == "tool"}
    spans = Span.objects.filter(trace=turn.trace_id, kind=Span.Kind.TOOL)
    failed = {call_attributes(one).get("call_id") for one in spans if one.error}
    return tuple(
        ShownCall(
            call["id"],
            call["function"]["name"],
            call["function"]["arguments"],
            text_of(result.get("content")),
            bool(result.get("is_error")) or call["id"] in failed,
        )
        for body in bodies
        for call in body.get("tool_calls") or ()
        if (result := results.get(call["id"])) is not None
    )


def _failure(turn: Turn, attributes: Any) -> OpenAIError | None:
    """Why a turn that is over has no whole answer."""
    if turn.status == Turn.Status.STOPPED:
        message = "The turn was stopped before its answer was complete."
        return OpenAIError(409, message, SERVER, code="turn_stopped", headers=NO_RETRY)
    if turn.status != Turn.Status.FAILED:
        return None
    sentence = shown(turn.error) or "The turn failed."
    if turn.ceiling:
        code = f"ceiling_{turn.ceiling}"
        return OpenAIError(422, sentence, INVALID, code=code, headers=NO_RETRY)
    status = attributes.get("status_code") or 0
    if attributes.get("too_long"):
        return OpenAIError(400, sentence, INVALID, code="context_length_exceeded")
    if status in (400, 413, 422):
        return OpenAIError(400, sentence, INVALID, code="model_refused")
    if status == 429:
        kind = "rate_limit_error"
        return OpenAIError(429, sentence, kind, code="provider_rate_limit", headers=NO_RETRY)
    return OpenAIError(502, sentence, SERVER, code="model_failed", headers=NO_RETRY)
