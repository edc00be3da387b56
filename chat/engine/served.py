"""From the row of a model to what a call of it needs."""

from django.conf import settings

from chat.llm.clients import IDLE_SECONDS, Endpoint
from chat.llm.dialects import dialect
from chat.llm.served import ServedModel
from chat.models import LanguageModel


def served(model: LanguageModel) -> ServedModel:
    """How to reach the model (its provider loaded) and how to speak with it."""
    provider = model.provider
    endpoint = Endpoint(provider.endpoint, provider.api_key, _idle_seconds())
    return ServedModel(model.name, endpoint, dialect(model.speaks))


def _idle_seconds() -> float:
    """The longest silence of a model; the setting `MODEL_IDLE_SECONDS` overrides the default."""
    return float(getattr(settings, "MODEL_IDLE_SECONDS", IDLE_SECONDS))
