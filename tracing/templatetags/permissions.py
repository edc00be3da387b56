"""`{% if user|may:"chat.change_provider" %}`, in every template."""

from django import template

from db.users import AnyUser
from tracing.permissions import holds

register = template.Library()


@register.filter
def may(user: AnyUser, permission: str) -> bool:
    return holds(user, permission)
