"""How a trace's figures, states and texts look."""

from datetime import timedelta
from typing import Any

from django import template
from django.template.context import Context

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


@register.simple_tag(takes_context=True)
def place(context: Context, **changes: Any) -> str:
    """The query of this place of the page with something changed: `{% place view="json" %}`."""
    query: str = context["here"].place(**changes)
    return query


@register.filter
def visible(text: Any) -> str:
    return make_visible(str(text))


@register.filter
def thousands(count: int) -> str:
    return f"{count:,}"


@register.filter
def milliseconds(length: timedelta) -> int:
    return round(length.total_seconds() * 1000)


@register.filter
def exact_ms(ms: float) -> str:
    """Milliseconds alone, so that figures below each other compare: 1,234.5 ms."""
    return f"{ms:,.1f} ms"


@register.filter
def state_icon(status: str) -> str:
    return _ICONS.get(status, "unknown")


@register.filter
def state_word(status: str) -> str:
    return _WORDS.get(status, status.replace("_", " "))
