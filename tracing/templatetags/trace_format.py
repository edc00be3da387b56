"""How a trace's figures, states and texts look."""

from typing import Any

from django import template

from tracing.figures import duration, size
from tracing.text import visible as make_visible

register = template.Library()
register.filter("duration", duration)
register.filter("size", size)

_ICONS = {
    "running": "running",
    "sent": "running",
    "succeeded": "done",
    "failed": "failed",
    "stopped": "stopped",
    "cancelled": "stopped",
    "superseded": "refresh",
    "proposed": "clock",
    "approved": "clock",
    "awaiting_approval": "waiting",
    "waiting": "waiting",
    "denied": "denied",
    "outcome_unknown": "unknown",
}
_WORDS = {"succeeded": "done", "sent": "running", "approved": "queued"}


@register.filter
def visible(text: Any) -> str:
    return make_visible(str(text))


@register.filter
def thousands(count: int) -> str:
    return f"{count:,}"


@register.filter
def state_icon(status: str) -> str:
    return _ICONS.get(status, "unknown")


@register.filter
def state_word(status: str) -> str:
    return _WORDS.get(status, status.replace("_", " "))
