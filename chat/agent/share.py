"""How full a model's context window is, by what the provider has reported."""

from dataclasses import dataclass, replace
from typing import Any

from chat.agent.limits import limits
from chat.agent.windows import WindowSource, context_window
from chat.models import Conversation, LanguageModel, Turn
from tracing.journal.cost import token_count
from tracing.models import Span
from tracing.models.attributes import GenerationAttributes, WindowAttributes

# Turns and spans that are looked at: the latest turn may have failed before anything was reported.
_TURNS = 3
_SPANS = 12


@dataclass(frozen=True)
class Share:
    """`tokens` of the latest request and its answer, or after a summary an estimate of the next.
    From `threshold` on, a share of the window, the older part is summarised; 0 for never."""

    tokens: int
    window: int
    threshold: float
    is_estimated: bool = False

    @property
    def percent(self) -> int:
        return round(100 * self.tokens / self.window) if self.window else 0

    @property
    def threshold_percent(self) -> int:
        return round(100 * self.threshold)

    @property
    def warns(self) -> bool:
        return bool(self.threshold) and self.tokens > self.threshold * self.window

    def described(self) -> dict[str, Any]:
        """As events and snapshots have it."""
        return {
            "tokens": self.tokens,
            "window": self.window,
            "threshold": self.threshold,
            "estimated": self.is_estimated,
        }


def of_usage(
    conversation: Conversation, model: LanguageModel, noted: GenerationAttributes
) -> Share | None:
    """The share after a generation, by what its span notes; None if nothing was reported."""
    usage = noted.get("usage") or {}
    tokens = sum(token_count(usage.get(name)) for name in ("prompt_tokens", "completion_tokens"))
    return _share(conversation, model, tokens, noted) if tokens else None


def of_conversation(conversation: Conversation) -> Share | None:
    """The share as it stands, in one query; None as long as nothing is known."""
    model = conversation.model
    if model is None:
        return None
    turns = Turn.objects.filter(conversation=conversation).order_by("-id").values("trace")
    spans = Span.objects.filter(
        trace__in=turns[:_TURNS],
        kind__in=[Span.Kind.GENERATION, Span.Kind.COMPACTION],
        status=Span.Status.SUCCEEDED,
    ).order_by("-trace", "-id")
    for kind, of, noted in spans.values_list("kind", "parent__kind", "attributes")[:_SPANS]:
        if kind == Span.Kind.COMPACTION and noted.get("tokens_after") is not None:
            return estimated(conversation, model, int(noted["tokens_after"]), noted)
        if of == Span.Kind.ROUND and (share := of_usage(conversation, model, noted)):
            return share
    return None


def estimated(
    conversation: Conversation, model: LanguageModel, tokens: int, noted: WindowAttributes
) -> Share:
    """The share after a compaction, whose span notes this: nobody has counted that yet."""
    return replace(_share(conversation, model, tokens, noted), is_estimated=True)


def _share(
    conversation: Conversation, model: LanguageModel, tokens: int, noted: WindowAttributes
) -> Share:
    """Of the window that counts now; what the provider refused in that turn bounds it still."""
    refused = noted.get("context_window_source") == WindowSource.REFUSAL
    window = context_window(conversation, model)
    if refused:
        window = window.within(token_count(noted.get("context_window")))
    return Share(tokens, window.tokens, limits(conversation, model).auto_share)
