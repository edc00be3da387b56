"""The clock."""

import zoneinfo
from datetime import datetime

from tools.errors import ToolError
from tools.values.call import CallContext


def get_current_datetime(context: CallContext, timezone: str | None = None) -> str:
    """Get the current date and time in ISO 8601, with the weekday.

    Args:
        timezone: An IANA time zone such as Europe/Berlin; the user's own zone if left out.
    """
    moment = datetime.now(_zone(timezone or context.timezone))
    return f"{moment.isoformat(timespec='seconds')} ({moment:%A})"


def _zone(name: str) -> zoneinfo.ZoneInfo:
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ToolError(
            f"{name!r} is not a known time zone. Use an IANA name, for example "
            "Europe/Berlin, Asia/Shanghai, America/New_York or UTC."
        ) from error
