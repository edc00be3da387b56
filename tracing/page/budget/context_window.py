"""Whose word the context window of a model call is, as a page says it."""

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
    "assumed": "assumed, since nobody has told it",
}


def window_source(attributes: Mapping[str, Any]) -> str:
    """By the attributes of a span; "" where they do not say."""
    return _SOURCES.get(str(attributes.get("context_window_source") or ""), "")
