"""From the row of a model to the settings of a call of it."""

from typing import Any, cast

from django.conf import settings

from chat.agent.windows import ContextWindow
from chat.llm.dialects import configured
from chat.llm.dialects.native import ReturnsReasoning
from chat.llm.endpoint import Endpoint, Kind
from chat.llm.parameters import Quirks
from chat.llm.served import ServedModel
from chat.llm.services import ANTHROPIC, service
from chat.models import LanguageModel, Provider
from limits.models import MAX_PROVIDER_SILENCE_S
from tracing.models.attributes import GenerationAttributes


def served(model: LanguageModel) -> ServedModel:
    """How to reach the model (its provider loaded) and how to speak with it."""
    provider = model.provider
    endpoint = Endpoint(provider.endpoint, provider.api_key, _idle_seconds(), _kind(provider))
    returns = cast(ReturnsReasoning, model.returns_reasoning)
    dialect = configured(model.speaks, returns_reasoning=returns)
    return ServedModel(model.name, endpoint, dialect, _quirks(model))


def opening_attributes(
    model: LanguageModel, attempt: int, window: ContextWindow
) -> GenerationAttributes:
    """The attributes with which a generation's span begins; `attempt` counts from 1."""
    return {
        "provider": model.provider.name,
        "base_url": model.provider.base_url,
        "model": model.name,
        "dialect": model.speaks,
        "parameters": model.parameters,
        "attempt": attempt,
        "prices": _prices(model),
        "context_window": window.tokens,
        "context_window_source": str(window.source),
        "settings": _settings(model),
    }


def _kind(provider: Provider) -> Kind:
    return "anthropic" if provider.protocol == "anthropic" else "openai"


def _quirks(model: LanguageModel) -> Quirks:
    """The quirks of the model's service; what a probe of its endpoint has found comes first."""
    defaults = service(model.provider.service)
    return Quirks(
        usage_in_streams=model.probed.get("usage_in_streams", defaults.usage_in_streams),
        max_tokens_key=defaults.max_tokens_key,
        caches_prompts=defaults is ANTHROPIC,
    )


def _idle_seconds() -> float:
    """Upper bound of a model's silence in seconds: `MODEL_IDLE_SECONDS` (settings) or a default."""
    return float(getattr(settings, "MODEL_IDLE_SECONDS", MAX_PROVIDER_SILENCE_S))


def _settings(model: LanguageModel) -> dict[str, Any]:
    """The columns of the model that decide, beside the others, how a request is written: a replay
    needs them."""
    return {
        "service": model.provider.service,
        "returns_reasoning": model.returns_reasoning,
        "usage_in_streams": model.probed.get("usage_in_streams"),
        "takes_tools": model.takes_tools,
        "takes_images": model.takes_images,
    }


def _prices(model: LanguageModel) -> dict[str, str]:
    """Current prices in US dollars per million tokens; a price that is not set is left out."""
    prices = {"in": model.price_in, "cached": model.price_cached, "out": model.price_out}
    return {name: str(price) for name, price in prices.items() if price is not None}
