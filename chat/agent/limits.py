"""The numbers of the agent, from the deployment down to the conversation.

settings (AGENT_LIMITS) ◄ overridden by ─ Preset.limits ◄ overridden by ─ Conversation.limits

`NUMBERS` has the meaning and the bounds of each. A ceiling bounds what a turn costs: a
conversation, and a preset that a person owns, may lower it but not raise it."""

import logging
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from django.conf import settings

from chat.agent.numbers import NUMBERS, is_number, problem
from chat.agent.windows import ASSUMED, context_window, inherited_window
from chat.models import Conversation, LanguageModel, Preset
from limits.turns import MAX_ROUNDS, MAX_SENT_TOOLS, MAX_SUBAGENT_ROUNDS, MAX_TODOS, MAX_TOOL_S

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Limits:
    """The numbers of the agent, with their defaults."""

    micro_share: float = 0.5
    micro_keeps: int = 3
    micro_shortest: int = 100
    auto_share: float = 0.8
    auto_keeps: int = 4
    context_window: int = ASSUMED
    result_share: float = 0.25
    tools_sent: int = MAX_SENT_TOOLS
    reminder_rounds: int = 3
    todo_items: int = MAX_TODOS
    rounds: int = MAX_ROUNDS
    subagent_rounds: int = MAX_SUBAGENT_ROUNDS
    tool_seconds: float = MAX_TOOL_S


def limits(conversation: Conversation, model: LanguageModel) -> Limits:
    """The numbers of this conversation."""
    above = inherited(conversation.preset_with(model), model)
    numbers = _overridden(above, conversation.limits, lowers_only=True)
    return replace(numbers, context_window=context_window(conversation, model).tokens)


def inherited(preset: Preset | None, model: LanguageModel | None) -> Limits:
    """The numbers with this preset, in a conversation without limits of its own."""
    above = deployment()
    if preset is not None:
        above = _overridden(above, preset.limits, lowers_only=preset.owner_id is not None)
    return replace(above, context_window=inherited_window(preset, model).tokens)


def deployment() -> Limits:
    """The operator's numbers: `TOOL_DEADLINE` and `AGENT_LIMITS` (settings)."""
    base = Limits(tool_seconds=settings.TOOL_DEADLINE)
    return _overridden(base, settings.AGENT_LIMITS, lowers_only=False)


def _overridden(above: Limits, layer: Any, *, lowers_only: bool) -> Limits:
    stored = layer if isinstance(layer, dict) else {}
    numbers = {name: value for name, value in stored.items() if _is_valid(name, value)}
    if lowers_only:
        ceilings = {name for name, number in NUMBERS.items() if number.is_ceiling}
        for name in numbers.keys() & ceilings:
            numbers[name] = min(numbers[name], getattr(above, name))
    return replace(above, **numbers)


def _is_valid(name: str, value: Any) -> bool:
    """Forms, imports and the check of the settings refuse invalid numbers; a stored one is ignored
    and logged once a process."""
    if name in NUMBERS and is_number(value):
        return True
    _warn_once(f"{name!r}: {problem(name, value)}")
    return False


@cache
def _warn_once(sentence: str) -> None:
    logger.warning("A stored limit is passed over: %s", sentence)
