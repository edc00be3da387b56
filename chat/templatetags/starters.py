"""Conversation starters, in the language of the reader where there is a translation."""

from django import template
from django.utils.translation import get_language

from chat.cassettes import walkthrough
from languages.shipped import in_language

register = template.Library()


@register.filter
def starter(text: str) -> str:
    """The recorded questions have a counterpart in each language; starters that ship have a
    translation; those of people stay as they wrote them."""
    return walkthrough.in_language(in_language(text), get_language() or walkthrough.ENGLISH)
