"""The share of a model's context window that is used, by the provider's usage."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chat.agent.limits import limits
from chat.agent.windows import WindowSource, context_window
from chat.models import Conversation, LanguageModel, Turn
from tracing.journal.cost import is_estimated, token_count
from tracing.models import Span
from tracing.models.attributes import (
    GenerationAttributes,
    WindowAttributes,
    compaction_attributes,
    generation_attributes,
)

# Upper bounds of the turns and spans that are read: the latest turn may have no usage.
_TURNS = 3
_SPANS = 12


@dataclass(frozen=True)
class Share:
    """`tokens` of the latest request and its answer; after a summary an estimate of the next
    request. From `threshold` on, a share of the window, older messages are summarised; 0: never."""

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
        """As in events and snapshots."""
        return {
            "tokens": self.tokens,
            "window": self.window,
            "threshold": self.threshold,
            "estimated": self.is_estimated,
        }


def of_usage(
    conversation: Conversation, model: LanguageModel, generation: GenerationAttributes
) -> Share | None:
    """The share after a generation; None if its usage is not known."""
    usage = generation.get("usage") or {}
    tokens = sum(token_count(usage.get(name)) for name in ("prompt_tokens", "completion_tokens"))
    if not tokens:
        return None
    share = _share(conversation, model, tokens, generation)
    return replace(share, is_estimated=is_estimated(usage))


def of_conversation(conversation: Conversation) -> Share | None:
    """The current share of the shown branch, in one query; None if no usage is known."""
    model = conversation.model
    if model is None:
        return None
    shown = Turn.objects.filter(conversation=conversation, is_shown=True)
    turns = shown.order_by("-id").values("trace")
    spans = Span.objects.filter(
        trace__in=turns[:_TURNS],
        kind__in=[Span.Kind.GENERATION, Span.Kind.COMPACTION],
        status=Span.Status.SUCCEEDED,
    ).order_by("-trace", "-id")
    return _latest(conversation, model, spans.select_related("parent")[:_SPANS])


def of_latest_turns(conversation: Conversation, turns: Sequence[Sequence[Span]]) -> Share | None:
    """As `of_conversation`, without a query: of the generations and compactions of the last turns,
    the latest turn last."""
    spans = [span for turn in reversed(turns[-_TURNS:]) for span in reversed(turn)]
    ended = [span for span in spans if span.status == Span.Status.SUCCEEDED]
    model = conversation.model
    return _latest(conversation, model, ended[:_SPANS]) if model else None


def _latest(
    conversation: Conversation, model: LanguageModel, spans: Iterable[Span]
) -> Share | None:
    """The share after the first of these spans that tells one."""
    for span in spans:
        if span.kind == Span.Kind.COMPACTION:
            compaction = compaction_attributes(span)
            if (tokens := compaction.get("tokens_after")) is not None:
                return estimated(conversation, model, tokens, compaction)
        if span.parent is None or span.parent.kind != Span.Kind.ROUND:
            continue
        if share := of_usage(conversation, model, generation_attributes(span)):
            return share
    return None


def estimated(
    conversation: Conversation,
    model: LanguageModel,
    tokens: int,
    window_attributes: WindowAttributes,
) -> Share:
    """The share after a compaction, whose tokens are an estimate."""
    return replace(_share(conversation, model, tokens, window_attributes), is_estimated=True)


def _share(
    conversation: Conversation,
    model: LanguageModel,
    tokens: int,
    window_attributes: WindowAttributes,
) -> Share:
    """Of the current window; a window that was refused in that turn still bounds it."""
    window = context_window(conversation, model)
    if window_attributes.get("context_window_source") == WindowSource.REFUSAL:
        window = window.within(token_count(window_attributes.get("context_window")))
    return Share(tokens, window.tokens, limits(conversation, model).auto_share)
