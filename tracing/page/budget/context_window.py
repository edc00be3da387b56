"""Who states the context window of a model call, as text."""

from collections.abc import Mapping
from typing import Any

_SOURCES = {
    "conversation": "set for the conversation",
    "preset": "set for the assistant",
    "model": "set for the model",
    "refusal": "named by the provider's refusal",
    "estimate": "estimated from the provider's refusal",
    "listing": "as the endpoint lists it",
    "server": "as the server runs it",
    "deployment": "set for the deployment",
    "assumed": "assumed, since it is not stated anywhere",
}


def window_source(attributes: Mapping[str, Any]) -> str:
    """From the attributes of a span; empty if they have no source."""
    return _SOURCES.get(str(attributes.get("context_window_source") or ""), "")
