"""The stretches of time that the dashboard shows, and how they are cut for the charts."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import Q

from tracing.models import Measure

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
STEPS = {
    Measure.Period.HOUR: HOUR,
    Measure.Period.DAY: DAY,
    Measure.Period.WEEK: timedelta(weeks=1),
}


@dataclass(frozen=True)
class Period:
    """The last `bins` bins of a width, the present one included.

    Charts are summed from hours or days (`chart_rows`), tables from the longest rows that will do
    (`rows`): a page should not have to add thousands. `trend_rows` are those of the tables' trends.
    """

    name: str
    label: str
    bins: int
    width: timedelta
    rows: Measure.Period
    chart_rows: Measure.Period
    trend_rows: Measure.Period

    def begin(self, now: datetime) -> datetime:
        """Of the first bin. Bins are those of UTC, as the rows are."""
        whole = HOUR if self.rows == Measure.Period.HOUR else DAY
        day = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        last = day + (now - day) // whole * whole
        return last + whole - self.bins * self.width

    def moments(self, now: datetime) -> list[datetime]:
        """The beginning of each bin."""
        begin = self.begin(now)
        return [begin + number * self.width for number in range(self.bins)]

    def place(self, hour: datetime, begin: datetime) -> int:
        """The bin of a row of the charts."""
        return (hour - begin) // self.width

    def table_rows(self, now: datetime) -> Q:
        """The rows that the tables are summed from. What of a week is in the period is days."""
        begin = self.begin(now)
        if self.rows != Measure.Period.WEEK:
            return Q(period=self.rows, hour__gte=begin)
        monday = begin + timedelta(days=-begin.weekday() % 7)
        days = Q(period=Measure.Period.DAY, hour__gte=begin, hour__lt=monday)
        return days | Q(period=Measure.Period.WEEK, hour__gte=monday)

    @property
    def trend_bins(self) -> int:
        """How many hours, days or weeks a trend in a table has."""
        return -(-self.bins * self.width // STEPS[self.trend_rows])

    def trend_place(self, hour: datetime, begin: datetime) -> int:
        """Which of them a row is of."""
        return (hour - begin) // STEPS[self.trend_rows]

    def moment_label(self, moment: datetime) -> str:
        """A bin's beginning for people: 14:00, 5 Mar, 5 Mar 06:00."""
        day = f"{moment.day} {moment:%b}"
        if self.width >= DAY:
            return day
        return f"{moment:%H:%M}" if self.width == HOUR else f"{day} {moment:%H:%M}"


_HOURS, _DAYS, _WEEKS = Measure.Period.HOUR, Measure.Period.DAY, Measure.Period.WEEK
PERIODS = {
    period.name: period
    for period in (
        Period("24h", "24 hours", 24, HOUR, _HOURS, _HOURS, _HOURS),
        Period("7d", "7 days", 28, 6 * HOUR, _DAYS, _HOURS, _DAYS),
        Period("30d", "30 days", 30, DAY, _WEEKS, _DAYS, _DAYS),
        Period("90d", "90 days", 90, DAY, _WEEKS, _DAYS, _WEEKS),
    )
}
USUAL = PERIODS["24h"]


def chosen(name: str) -> Period:
    """The period of this name; a day for any other."""
    return PERIODS.get(name, USUAL)
