"""The stretches of time that the dashboard shows, and how they are cut for the charts."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tracing.models import Measure

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@dataclass(frozen=True)
class Period:
    """The last `bins` bins of a width, the present one included.

    Tables are summed from rows of `rows`, charts from rows of `chart_rows`: days where they will
    do, since there are 24 times as many hours.
    """

    name: str
    label: str
    bins: int
    width: timedelta
    rows: Measure.Period
    chart_rows: Measure.Period

    def begin(self, now: datetime) -> datetime:
        """Of the first bin. Bins are those of UTC, as the rows are."""
        whole = DAY if self.rows == Measure.Period.DAY else HOUR
        day = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        last = day + (now - day) // whole * whole
        return last + whole - self.bins * self.width

    def moments(self, now: datetime) -> list[datetime]:
        """The beginning of each bin."""
        begin = self.begin(now)
        return [begin + number * self.width for number in range(self.bins)]

    @property
    def row_bins(self) -> int:
        """How many hours or days the rows of the tables are of."""
        return self.bins * self.width // (DAY if self.rows == Measure.Period.DAY else HOUR)

    def row_place(self, hour: datetime, begin: datetime) -> int:
        """Which of them a row is of."""
        return (hour - begin) // (DAY if self.rows == Measure.Period.DAY else HOUR)

    def place(self, hour: datetime, begin: datetime) -> int:
        """The bin of a row."""
        return (hour - begin) // self.width

    def moment_label(self, moment: datetime) -> str:
        """A bin's beginning for people: 14:00, 5 Mar, 5 Mar 06:00."""
        day = f"{moment.day} {moment:%b}"
        if self.width >= DAY:
            return day
        return f"{moment:%H:%M}" if self.width == HOUR else f"{day} {moment:%H:%M}"


_HOURS, _DAYS = Measure.Period.HOUR, Measure.Period.DAY
PERIODS = {
    period.name: period
    for period in (
        Period("24h", "24 hours", 24, HOUR, _HOURS, _HOURS),
        Period("7d", "7 days", 28, 6 * HOUR, _DAYS, _HOURS),
        Period("30d", "30 days", 30, DAY, _DAYS, _DAYS),
        Period("90d", "90 days", 90, DAY, _DAYS, _DAYS),
    )
}
USUAL = PERIODS["24h"]


def chosen(name: str) -> Period:
    """The period of this name; a day for any other."""
    return PERIODS.get(name, USUAL)
