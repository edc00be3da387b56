"""How prices look."""

from decimal import Decimal

from django import template

register = template.Library()


@register.filter
def dollars(price: Decimal) -> str:
    """$0.18, $3, $0.0005: at least the cents where there are any."""
    text = f"{price.normalize():f}"
    whole, _, cents = text.partition(".")
    return f"${whole}.{cents:0<2}" if cents else f"${whole}"
