"""How costs, shares and moments of a trace look."""

from datetime import datetime
from decimal import Decimal

from django import template

from tracing.formatting.figures import duration
from tracing.journal.actions import action_text

register = template.Library()
register.filter("action_words", action_text)

_ICONS = {
    "stop": "stopped",
    "approve": "done",
    "deny": "denied",
    "answer": "done",
    "feedback": "thumb-up",
}
_LEAST = Decimal("0.000001")


@register.filter
def dollars(cost: Decimal) -> str:
    """$0, $0.000342, $1.25: two digits that say something, and no more than a millionth."""
    if 0 < cost < _LEAST:
        return "< $0.000001"
    digits = max(2, min(6, 1 - cost.adjusted())) if cost else 0
    return f"${cost:,.{digits}f}"


@register.filter
def percent(share: float) -> str:
    """12 %, 0.4 %, less than can be told."""
    if 0 < share < 0.1:
        return "< 0.1 %"
    return f"{share:.0f} %" if share >= 9.95 or share == 0 else f"{share:.1f} %"


@register.filter
def signed(count: int) -> str:
    return f"{count:+,}".replace("-", "−")


@register.filter
def since(at: datetime, begin: datetime) -> str:
    """How long after the beginning: + 1.2 s."""
    return f"+ {duration(at - begin)}"


@register.filter
def action_icon(kind: str) -> str:
    return _ICONS.get(kind, "info")
