"""Who may share with whom, and for how long: `SHARED_LINKS` and `SHARED_LINK_DAYS`."""

from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from chat.models import SharedLink

Audience = SharedLink.Audience
# Days that are offered; 0: without an end.
_DAYS = (1, 7, 30, 90, 0)


def is_on() -> bool:
    return settings.SHARED_LINKS != "off"


def audiences() -> list[Audience]:
    """Those whom links may be for; the first one is chosen unless the person says otherwise."""
    if settings.SHARED_LINKS == "everybody":
        return [Audience.SIGNED_IN, Audience.EVERYBODY]
    return [Audience.SIGNED_IN] if is_on() else []


def is_for_everybody(link: SharedLink) -> bool:
    """Whether it opens without signing in. What the operator allows now counts for old links."""
    return link.audience == Audience.EVERYBODY and Audience.EVERYBODY in audiences()


def days() -> list[int]:
    """How long a link may be open, in days; 0: without an end."""
    most = settings.SHARED_LINK_DAYS
    return [one for one in _DAYS if not most or 0 < one <= most] or [most]


def end(chosen: int) -> datetime | None:
    return timezone.now() + timedelta(days=chosen) if chosen else None
