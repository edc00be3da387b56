from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tools.errors import ToolError
from tools.local.get_current_datetime import get_current_datetime
from tools.values.call import CallContext

CONTEXT = CallContext(Path("/nowhere"), timezone="Asia/Shanghai")


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text.partition(" ")[0])


def test_it_is_now_in_the_users_zone() -> None:
    shown = moment(get_current_datetime(CONTEXT))
    assert shown.utcoffset() == timedelta(hours=8)
    assert abs(datetime.now(shown.tzinfo) - shown) < timedelta(seconds=5)


def test_another_zone_can_be_asked_for() -> None:
    assert moment(get_current_datetime(CONTEXT, "UTC")).utcoffset() == timedelta(0)


def test_the_weekday_belongs_to_the_date() -> None:
    text = get_current_datetime(CONTEXT, "America/New_York")
    assert text.endswith(f"({moment(text):%A})")


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../../etc/passwd", " ", "UTC\0", "x" * 500])
def test_an_unknown_zone_is_an_error_that_names_examples(zone: str) -> None:
    with pytest.raises(ToolError, match="Europe/Berlin"):
        get_current_datetime(CONTEXT, zone)
