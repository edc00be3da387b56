"""The time zone of a person's browser, from the cookie `timezone`."""

from collections.abc import Mapping
from zoneinfo import ZoneInfo

from limits.web import MAX_TIME_ZONE

COOKIE = "timezone"


def named(cookies: Mapping[str, str]) -> str:
    """The IANA name of the zone; "" if the cookie is missing or names an unknown zone."""
    name = cookies.get(COOKIE, "")
    try:
        return ZoneInfo(name).key if 0 < len(name) <= MAX_TIME_ZONE else ""
    except (KeyError, ValueError, OSError):
        return ""
