"""`{% if user|may:"chat.change_provider" %}`, in every template."""

from typing import Any

from django import template

from tracing.permissions import holds

register = template.Library()


@register.filter
def may(user: Any, permission: str) -> bool:
    return holds(user, permission)
