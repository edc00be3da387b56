"""The stretches of time that the dashboard shows, and how they are cut for the charts."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.db.models import Q
from django.utils.dateparse import parse_date, parse_datetime

from limits.traces import MAX_PERIOD
from tracing.models import Measure

HOUR, DAY, WEEK = timedelta(hours=1), timedelta(days=1), timedelta(weeks=1)
STEPS = {Measure.Period.HOUR: HOUR, Measure.Period.DAY: DAY, Measure.Period.WEEK: WEEK}
# Of a range that was asked for: up to which length a bin has which width.
_HOURLY, _SIX_HOURLY, _DAILY = 3 * DAY, 14 * DAY, 120 * DAY


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

    @property
    def title(self) -> str:
        return f"The last {self.label}"

    @property
    def during(self) -> str:
        """For the end of a sentence."""
        return f"in the last {self.label}"

    @property
    def query(self) -> dict[str, str]:
        """As `chosen` reads it."""
        return {} if self.name == USUAL.name else {"period": self.name}

    def begin(self, now: datetime) -> datetime:
        """Of the first bin. Bins are those of UTC, as the rows are."""
        whole = HOUR if self.rows == Measure.Period.HOUR else DAY
        day = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        last = day + (now - day) // whole * whole
        return last + whole - self.bins * self.width

    def end(self, now: datetime) -> datetime:
        """The first moment behind it."""
        return self.begin(now) + self.bins * self.width

    def moments(self, now: datetime) -> list[datetime]:
        """The beginning of each bin."""
        begin = self.begin(now)
        return [begin + number * self.width for number in range(self.bins)]

    def place(self, hour: datetime, begin: datetime) -> int:
        """The bin of a row of the charts."""
        return (hour - begin) // self.width

    def chart_filter(self, now: datetime) -> Q:
        """The rows that the charts are summed from."""
        return Q(period=self.chart_rows, hour__gte=self.begin(now), hour__lt=self.end(now))

    def table_filter(self, now: datetime) -> Q:
        """The rows that the tables are summed from: weeks that are wholly in it, else days."""
        begin, end = self.begin(now), self.end(now)
        if self.rows != Measure.Period.WEEK:
            return Q(period=self.rows, hour__gte=begin, hour__lt=end)
        first = begin + timedelta(days=-begin.weekday() % 7)
        # Nothing has ended in the future: the present week is whole.
        last = end if end > now else end - timedelta(days=end.weekday())
        days = Q(hour__gte=begin, hour__lt=min(first, end)) | Q(hour__gte=max(first, last))
        whole_days = Q(days, period=Measure.Period.DAY, hour__lt=end)
        return whole_days | Q(period=Measure.Period.WEEK, hour__gte=first, hour__lt=last)

    def trend_filter(self, now: datetime) -> Q:
        return Q(period=self.trend_rows, hour__gte=self.begin(now), hour__lt=self.end(now))

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
        is_one_day = self.width == HOUR and self.bins <= 24
        return f"{moment:%H:%M}" if is_one_day else f"{day} {moment:%H:%M}"


@dataclass(frozen=True)
class Range(Period):
    """From a whole hour or day to another."""

    start: datetime
    stop: datetime

    @property
    def title(self) -> str:
        return f"From {self.label}"

    @property
    def during(self) -> str:
        return f"from {self.label}"

    @property
    def query(self) -> dict[str, str]:
        return {"from": f"{self.start:%Y-%m-%dT%H:%M}", "until": f"{self.stop:%Y-%m-%dT%H:%M}"}

    def begin(self, now: datetime) -> datetime:
        return self.start

    def end(self, now: datetime) -> datetime:
        return self.stop

    def moment_label(self, moment: datetime) -> str:
        label = super().moment_label(moment)
        return f"{label} {moment.year}" if self.width >= WEEK else label


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


@dataclass(frozen=True)
class Choice:
    """The period, and what is wrong with the one that was asked for."""

    period: Period
    problem: str = ""


def chosen(query: Mapping[str, str], now: datetime) -> Choice:
    """What an address asks for: `period`, or `from` and `until`, moments or days of UTC. A day for
    anything else."""
    start, stop = _moment(query.get("from", "")), _moment(query.get("until", ""), is_end=True)
    if not (query.get("from") or query.get("until")):
        return Choice(PERIODS.get(query.get("period", ""), USUAL))
    if (query.get("from") and start is None) or (query.get("until") and stop is None):
        return Choice(USUAL, "A date could not be read. Give both as 2026-01-31 or with a time.")
    stop = stop or now
    start = start or stop - 30 * DAY
    if stop <= start:
        return Choice(USUAL, "The range ends before it begins.")
    if stop - start > MAX_PERIOD:
        return Choice(USUAL, f"A range has at most {MAX_PERIOD.days:,} days.")
    return Choice(between(start, stop))


def between(start: datetime, stop: datetime) -> Range:
    """The hours, or of more than three days the days, that these moments touch."""
    step = HOUR if stop - start <= _HOURLY else DAY
    start, stop = _floor(start, step), _ceiling(stop, step)
    width, rows, chart, trend = _cut(stop - start)
    label = f"{_worded(start, step)} to {_worded(stop, step, is_end=True)}"
    bins = -(-(stop - start) // width)
    return Range("", label, bins, width, rows, chart, trend, start, stop)


def _cut(length: timedelta) -> tuple[timedelta, Measure.Period, Measure.Period, Measure.Period]:
    if length <= _HOURLY + HOUR:
        return HOUR, _HOURS, _HOURS, _HOURS
    if length <= _SIX_HOURLY:
        return 6 * HOUR, _DAYS, _HOURS, _DAYS
    if length <= _DAILY:
        return DAY, _WEEKS, _DAYS, _DAYS
    return WEEK, _WEEKS, _DAYS, _WEEKS


def _floor(moment: datetime, step: timedelta) -> datetime:
    day = moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return day + (moment - day) // step * step


def _ceiling(moment: datetime, step: timedelta) -> datetime:
    floor = _floor(moment, step)
    return floor if floor == moment else floor + step


def _worded(moment: datetime, step: timedelta, is_end: bool = False) -> str:
    """A range of days ends with its last day."""
    if step == HOUR:
        return f"{moment.day} {moment:%b %Y %H:%M}"
    shown = moment - DAY if is_end else moment
    return f"{shown.day} {shown:%b %Y}"


def _moment(text: str, is_end: bool = False) -> datetime | None:
    """Of UTC; a day alone is its beginning, or its end."""
    try:
        day = parse_date(text)
        if isinstance(day, date):
            moment = datetime.combine(day, time(), UTC) + (DAY if is_end else timedelta())
        else:
            read = parse_datetime(text)
            if read is None:
                return None
            moment = read.astimezone(UTC) if read.tzinfo else read.replace(tzinfo=UTC)
        return moment if 1970 < moment.year < 9000 else None
    except (ValueError, OverflowError):
        return None
