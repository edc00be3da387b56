"""Who states the context window of a model call, as text."""

from collections.abc import Mapping
from typing import Any

from languages.later import later

_SOURCES = {
    "conversation": later("set for the conversation"),
    "preset": later("set for the assistant"),
    "model": later("set for the model"),
    "refusal": later("named by the provider's refusal"),
    "estimate": later("estimated from the provider's refusal"),
    "listing": later("as the endpoint lists it"),
    "server": later("as the server runs it"),
    "deployment": later("set for the deployment"),
    "assumed": later("assumed, since it is not stated anywhere"),
}


def window_source(attributes: Mapping[str, Any]) -> str:
    """From the attributes of a span; empty if they have no source."""
    return _SOURCES.get(str(attributes.get("context_window_source") or ""), "")
