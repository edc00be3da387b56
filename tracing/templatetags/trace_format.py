"""How a trace's figures, states and texts look."""

from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl, urlencode

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


@register.simple_tag(takes_context=True)
def place_part(context: Context, number: int) -> str:
    """The query of another part of the payload that is read here."""
    reader = context["reader"]
    if "here" in context:
        return str(context["here"].place(part=number, find=reader.find))
    kept = {"part": number, "find": reader.find, "hex": "1" if reader.is_hex else ""}
    return "?" + urlencode({name: value for name, value in kept.items() if value})


@register.simple_tag(takes_context=True)
def place_fields(context: Context) -> list[tuple[str, str]]:
    """The query of this place as a form's hidden fields."""
    query = context["here"].place() if "here" in context else "?"
    return parse_qsl(query[1:])


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
