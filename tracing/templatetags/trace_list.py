"""How the figures of the list look."""

from decimal import Decimal

from django import template

register = template.Library()


@register.filter
def dollars(cost: Decimal | None) -> str:
    """$1,234.50, $0.0123, or under a hundredth of a cent."""
    if cost is None:
        return ""
    if cost >= 1:
        return f"${cost:,.2f}"
    if 0 < cost < Decimal("0.0001"):
        return "<$0.0001"
    return f"${cost:.4f}" if cost else "$0"
