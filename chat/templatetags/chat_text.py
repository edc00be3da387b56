"""Filters for text and numbers that were not made by `chat.presentation`."""

from django import template

from chat.presentation import text

register = template.Library()
register.filter("visible", text.visible)
register.filter("duration", text.duration)


@register.filter
def thousands(number: int) -> str:
    """3120 → 3,120"""
    return f"{number:,}"
