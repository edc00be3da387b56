"""What a page says of limits that are nearly reached."""

from django import template
from django.utils import timezone

from chat.quotas import standing
from chat.quotas.standing import Standing
from db.users import AnyUser

register = template.Library()


@register.simple_tag
def limits_nearly_reached(user: AnyUser) -> list[Standing]:
    """Limits of tokens and costs; no statement for people who have none."""
    return standing.nearly_reached(user, timezone.now()) if user.is_authenticated else []
