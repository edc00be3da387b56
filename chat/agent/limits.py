"""The numbers of the agent, from the deployment down to the conversation.

settings.AGENT_LIMITS  ◄ overridden by ─ Preset.limits ◄ overridden by ─ Conversation.limits
"""

from dataclasses import dataclass, fields, replace
from typing import Any

from django.conf import settings

from chat.models import Conversation, LanguageModel


@dataclass(frozen=True)
class Limits:
    """Shares are of the model's context window; zero switches a layer off."""

    micro_share: float = 0.5
    micro_keeps: int = 3
    micro_shortest: int = 100  # characters; a shorter result is not worth it
    auto_share: float = 0.8
    auto_keeps: int = 4  # messages
    context_window: int = 128_000  # tokens, where the model's is not known
    result_share: float = 0.25
    tools_sent: int = 20
    reminder_rounds: int = 3


def limits(conversation: Conversation, model: LanguageModel) -> Limits:
    """What counts in this conversation. What is not a number, or no limit, is passed over."""
    preset = conversation.preset_with(model)
    layers = (settings.AGENT_LIMITS, preset.limits if preset else {})
    found = Limits(context_window=model.context_window or Limits.context_window)
    for layer in (*layers, conversation.limits):
        found = replace(found, **_numbers(layer))
    return found


def _numbers(layer: Any) -> dict[str, Any]:
    known = {field.name for field in fields(Limits)}
    given = layer.items() if isinstance(layer, dict) else ()
    return {
        name: value
        for name, value in given
        if name in known and isinstance(value, int | float) and not isinstance(value, bool)
    }
