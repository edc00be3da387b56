"""The kinds of limits: their units, and how amounts look."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from chat.models import QuotaRule
from tracing.formatting.figures import size
from tracing.templatetags.trace_figures import dollars

Kind = QuotaRule.Kind

MINUTE = timedelta(minutes=1)
# Costs are counted in millionths of a US dollar.
MICRODOLLARS = Decimal(1_000_000)
COSTS = (Kind.COST_DAY, Kind.COST_MONTH)
OF_DAYS = (Kind.TOKENS_DAY, Kind.COST_DAY, Kind.UPLOADS_DAY)
OF_MONTHS = (Kind.TOKENS_MONTH, Kind.COST_MONTH)


def text(kind: str, amount: int) -> str:
    """An amount of this kind for people: 1,000, 2.0 MB, $1.25."""
    if kind in COSTS:
        return str(dollars(amount / MICRODOLLARS))
    return size(amount) if kind == Kind.STORED_BYTES else f"{amount:,}"


def begin_of_day(now: datetime) -> datetime:
    """Days and months of limits are those of UTC, which are the same for everybody."""
    return now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def begin_of_month(now: datetime) -> datetime:
    return begin_of_day(now).replace(day=1)


def opens_at(kind: str, now: datetime) -> datetime | None:
    """When the period of a limit of this kind ends; None for one without a period."""
    if kind in OF_DAYS:
        return begin_of_day(now) + timedelta(days=1)
    if kind in OF_MONTHS:
        # 32 days after the first of a month is in the next one.
        return begin_of_month(begin_of_month(now) + timedelta(days=32))
    return None


_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_WRITTEN = re.compile(r"\$?\s*(\d{1,16}(?:\.\d{1,6})?)\s*([KMGT]?B)?", re.IGNORECASE)


def parse(kind: str, written: str) -> int | None:
    """The amount that somebody wrote, in the unit of the kind: `1,000`, `2.5 GB`, `$1.25`; None if
    it is none."""
    match = _WRITTEN.fullmatch(written.replace(",", "").strip())
    unit = (match[2] or "").upper() if match else ""
    if match is None or (unit and kind != Kind.STORED_BYTES):
        return None
    factor = MICRODOLLARS if kind in COSTS else Decimal(_UNITS[unit])
    amount = Decimal(match[1]) * factor
    return int(amount) if amount == amount.to_integral_value() else None


def written(kind: str, amount: int) -> str:
    """The same amount as `parse` reads it, without rounding."""
    if kind in COSTS:
        return f"{(amount / MICRODOLLARS).normalize():f}"
    return str(amount)
