"""The time zones that a person can choose."""

from functools import cache
from zoneinfo import available_timezones

from django.utils.translation import gettext_lazy as _

# Names without a place, which are there for old programs.
_FOR_PROGRAMS = ("Etc/", "SystemV/", "posix/", "right/")
_OF_BROWSER = ("", _("That of the browser"))


def choices() -> list[tuple[str, object]]:
    """The name of each zone twice, the browser's first."""
    return [_OF_BROWSER, *((name, name.replace("_", " ")) for name in _names())]


@cache
def _names() -> list[str]:
    places = (name for name in available_timezones() if "/" in name)
    return ["UTC", *sorted(name for name in places if not name.startswith(_FOR_PROGRAMS))]
