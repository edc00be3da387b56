"""How the figures of the list look."""

from collections.abc import Iterable
from decimal import Decimal

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from tracing.search.snippets import SnippetPart

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


@register.filter
def marked(parts: Iterable[SnippetPart]) -> SafeString:
    """A snippet with its matches marked. Written here because a page has fifty."""
    return mark_safe(
        "".join(
            f"<mark>{escape(part.text)}</mark>" if part.is_match else escape(part.text)
            for part in parts
        )
    )
