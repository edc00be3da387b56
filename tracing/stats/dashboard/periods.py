"""Periods of the dashboard, and their division into bins for the charts."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.db.models import Q
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.translation import gettext

from languages.later import later
from limits.traces import MAX_PERIOD
from tracing.models import Metric

HOUR, DAY, WEEK = timedelta(hours=1), timedelta(days=1), timedelta(weeks=1)
STEPS = {Metric.Period.HOUR: HOUR, Metric.Period.DAY: DAY, Metric.Period.WEEK: WEEK}
# Longest ranges with bins of an hour, of six hours, and of a day.
_HOURLY, _SIX_HOURLY, _DAILY = 3 * DAY, 14 * DAY, 120 * DAY


@dataclass(frozen=True)
class Period:
    """The last `bins` bins of `width`, the present one included.

    Charts are summed from rows of hours or days (`chart_rows`), tables from the longest rows that
    fit (`rows`), which bounds the rows that a page reads, and trends from `trend_rows`.
    """

    name: str
    label: str
    bins: int
    width: timedelta
    rows: Metric.Period
    chart_rows: Metric.Period
    trend_rows: Metric.Period

    @property
    def title(self) -> str:
        return gettext("The last %(label)s") % {"label": self.label}

    @property
    def during(self) -> str:
        """The period as the end of a sentence."""
        return gettext("in the last %(label)s") % {"label": self.label}

    @property
    def query(self) -> dict[str, str]:
        """The query parameters that `read_period` reads."""
        return {} if self.name == DEFAULT.name else {"period": self.name}

    def begin(self, now: datetime) -> datetime:
        """Start of the first bin. Bins are in UTC, as the rows are."""
        whole = HOUR if self.rows == Metric.Period.HOUR else DAY
        day = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        last = day + (now - day) // whole * whole
        return last + whole - self.bins * self.width

    def end(self, now: datetime) -> datetime:
        """End of the last bin (exclusive)."""
        return self.begin(now) + self.bins * self.width

    def moments(self, now: datetime) -> list[datetime]:
        """Start of each bin."""
        begin = self.begin(now)
        return [begin + number * self.width for number in range(self.bins)]

    def place(self, hour: datetime, begin: datetime) -> int:
        """Index of the bin of a row."""
        return (hour - begin) // self.width

    def chart_filter(self, now: datetime) -> Q:
        """Rows of the charts."""
        return Q(period=self.chart_rows, hour__gte=self.begin(now), hour__lt=self.end(now))

    def table_filter(self, now: datetime) -> Q:
        """Rows of the tables: weeks that are entirely within the period, and days for the rest."""
        begin, end = self.begin(now), self.end(now)
        if self.rows != Metric.Period.WEEK:
            return Q(period=self.rows, hour__gte=begin, hour__lt=end)
        first = begin + timedelta(days=-begin.weekday() % 7)
        # No trace ends in the future, so the present week counts as whole.
        last = end if end > now else end - timedelta(days=end.weekday())
        days = Q(hour__gte=begin, hour__lt=min(first, end)) | Q(hour__gte=max(first, last))
        whole_days = Q(days, period=Metric.Period.DAY, hour__lt=end)
        return whole_days | Q(period=Metric.Period.WEEK, hour__gte=first, hour__lt=last)

    def trend_filter(self, now: datetime) -> Q:
        return Q(period=self.trend_rows, hour__gte=self.begin(now), hour__lt=self.end(now))

    @property
    def trend_bins(self) -> int:
        """Number of hours, days or weeks in a trend of a table."""
        return -(-self.bins * self.width // STEPS[self.trend_rows])

    def trend_place(self, hour: datetime, begin: datetime) -> int:
        """Index in the trend of a row."""
        return (hour - begin) // STEPS[self.trend_rows]

    def moment_label(self, moment: datetime) -> str:
        """Label of the bin that starts then: 14:00, 5 Mar, 5 Mar 06:00."""
        day = f"{moment.day} {moment:%b}"
        if self.width >= DAY:
            return day
        is_one_day = self.width == HOUR and self.bins <= 24
        return f"{moment:%H:%M}" if is_one_day else f"{day} {moment:%H:%M}"


@dataclass(frozen=True)
class Range(Period):
    """A period from one whole hour or day to another."""

    start: datetime
    stop: datetime

    @property
    def title(self) -> str:
        return gettext("From %(label)s") % {"label": self.label}

    @property
    def during(self) -> str:
        return gettext("from %(label)s") % {"label": self.label}

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


_HOURS, _DAYS, _WEEKS = Metric.Period.HOUR, Metric.Period.DAY, Metric.Period.WEEK
PERIODS = {
    period.name: period
    for period in (
        Period("24h", later("24 hours"), 24, HOUR, _HOURS, _HOURS, _HOURS),
        Period("7d", later("7 days"), 28, 6 * HOUR, _DAYS, _HOURS, _DAYS),
        Period("30d", later("30 days"), 30, DAY, _WEEKS, _DAYS, _DAYS),
        Period("90d", later("90 days"), 90, DAY, _WEEKS, _DAYS, _WEEKS),
    )
}
DEFAULT = PERIODS["24h"]


@dataclass(frozen=True)
class Choice:
    """The period, and what is wrong with the requested one."""

    period: Period
    problem: str = ""


def read_period(query: Mapping[str, str], now: datetime) -> Choice:
    """The period of a query: `period`, or `from` and `until` (times or days in UTC). The last 24
    hours for any other query."""
    start, stop = _moment(query.get("from", "")), _moment(query.get("until", ""), is_end=True)
    if not (query.get("from") or query.get("until")):
        return Choice(PERIODS.get(query.get("period", ""), DEFAULT))
    if (query.get("from") and start is None) or (query.get("until") and stop is None):
        return Choice(
            DEFAULT, gettext("A date could not be read. Give both as 2026-01-31 or with a time.")
        )
    stop = stop or now
    start = start or stop - 30 * DAY
    if stop <= start:
        return Choice(DEFAULT, gettext("The range ends before it begins."))
    if stop - start > MAX_PERIOD:
        return Choice(
            DEFAULT,
            gettext("A range has at most %(days)s days.") % {"days": f"{MAX_PERIOD.days:,}"},
        )
    return Choice(between(start, stop))


def between(start: datetime, stop: datetime) -> Range:
    """The range of whole hours (of whole days if it is longer than three days) with both times."""
    step = HOUR if stop - start <= _HOURLY else DAY
    start, stop = _floor(start, step), _ceiling(stop, step)
    width, rows, chart, trend = _cut(stop - start)
    label = f"{_bound_text(start, step)} to {_bound_text(stop, step, is_end=True)}"
    bins = -(-(stop - start) // width)
    return Range("", label, bins, width, rows, chart, trend, start, stop)


def _cut(length: timedelta) -> tuple[timedelta, Metric.Period, Metric.Period, Metric.Period]:
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


def _bound_text(moment: datetime, step: timedelta, is_end: bool = False) -> str:
    """Text of a bound; the end of a range of days is its last day."""
    if step == HOUR:
        return f"{moment.day} {moment:%b %Y %H:%M}"
    day = moment - DAY if is_end else moment
    return f"{day.day} {day:%b %Y}"


def _moment(text: str, is_end: bool = False) -> datetime | None:
    """The time in UTC; a day alone stands for its start, or its end."""
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
