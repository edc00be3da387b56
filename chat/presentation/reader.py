"""Who reads a page, and where."""

from datetime import tzinfo
from zoneinfo import ZoneInfo

from django.http import HttpRequest
from django.utils import timezone

from chat.models import PersonalSettings


def zone_of_reader(request: HttpRequest) -> tzinfo:
    """The reader's time zone: the one of their settings, else that of the browser."""
    name = PersonalSettings.zone_of(request.user, request.COOKIES)
    return ZoneInfo(name) if name else timezone.get_current_timezone()
