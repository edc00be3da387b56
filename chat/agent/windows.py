"""The context window of a model in tokens, and its source: for the engine, the share in the chat's
head, and traces.

    conversation ─► preset ─► model: an admin, else its API, else a refusal ─► deployment ─► assumed

The first source that has a window counts. If no admin has set the model's window, the one that the
provider named when it refused a request is an upper bound.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.conf import settings

from chat.agent.numbers import is_number
from chat.models import Conversation, LanguageModel, Preset
from tracing.models.attributes import WindowAttributes

ASSUMED = 128_000


class WindowSource(StrEnum):
    """Where the window comes from; a generation's span records it."""

    CONVERSATION = "conversation"
    PRESET = "preset"
    MODEL = "model"
    REFUSAL = "refusal"
    ESTIMATE = "estimate"
    LISTING = "listing"
    SERVER = "server"
    DEPLOYMENT = "deployment"
    ASSUMED = "assumed"


@dataclass(frozen=True)
class ContextWindow:
    """`tokens` is at least 1."""

    tokens: int
    source: WindowSource

    @property
    def is_known(self) -> bool:
        return self.source is not WindowSource.ASSUMED

    def within(self, refused: int) -> "ContextWindow":
        """Bounded by the window that the provider refused in this turn; 0 if it refused none."""
        if not 0 < refused < self.tokens:
            return self
        return ContextWindow(refused, WindowSource.REFUSAL)

    def described(self) -> WindowAttributes:
        """As attributes of a generation's span."""
        return {"context_window": self.tokens, "context_window_source": str(self.source)}


NOT_KNOWN = ContextWindow(ASSUMED, WindowSource.ASSUMED)


def context_window(conversation: Conversation, model: LanguageModel) -> ContextWindow:
    """The window of the next request of this conversation to this model."""
    return inherited_window(conversation.preset_with(model), model, conversation.limits)


def inherited_window(
    preset: Preset | None, model: LanguageModel | None, conversation_limits: Any = None
) -> ContextWindow:
    """The window with this preset, in a conversation with these limits."""
    window = next(_windows(preset, model, conversation_limits))
    if model is None or not model.refused_window or model.has_own_window:
        return window
    return min(window, _refused(model), key=lambda each: each.tokens)


def model_window(model: LanguageModel) -> ContextWindow | None:
    """The window of the model itself; None if it is not known."""
    window = inherited_window(None, model)
    defaults = (WindowSource.DEPLOYMENT, WindowSource.ASSUMED)
    return None if window.source in defaults else window


def _windows(
    preset: Preset | None, model: LanguageModel | None, conversation_limits: Any
) -> Iterator[ContextWindow]:
    """The windows of all sources, by precedence."""
    yield from _layer(conversation_limits, WindowSource.CONVERSATION)
    yield from _layer(preset.limits if preset else None, WindowSource.PRESET)
    if model is not None:
        yield from _of_model(model)
    yield from _layer(settings.AGENT_LIMITS, WindowSource.DEPLOYMENT)
    yield NOT_KNOWN


def _of_model(model: LanguageModel) -> Iterator[ContextWindow]:
    if model.context_window:
        source = WindowSource(model.window_source or WindowSource.MODEL)
        yield ContextWindow(model.context_window, source)
    if model.refused_window:
        yield _refused(model)


def _layer(layer: Any, source: WindowSource) -> Iterator[ContextWindow]:
    value: Any = layer.get("context_window") if isinstance(layer, dict) else None
    if is_number(value) and value > 0:
        yield ContextWindow(int(value), source)


def _refused(model: LanguageModel) -> ContextWindow:
    source = WindowSource.ESTIMATE if model.refused_is_estimate else WindowSource.REFUSAL
    return ContextWindow(model.refused_window or ASSUMED, source)
