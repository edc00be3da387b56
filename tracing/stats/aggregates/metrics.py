"""Adds counters to the `Metric` rows of an hour, its day, its week, and all time."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from tracing.models import Metric
from tracing.stats.aggregates.counters import Counters, Key, read_row, row_columns

# The `hour` of the row of all time.
EVER = datetime(2000, 1, 1, tzinfo=UTC)


class Place(NamedTuple):
    """Identifies a row. Rows are locked in this order, which rules out deadlocks."""

    period: str
    hour: datetime
    key: Key


def places(ended: datetime, key: Key) -> Iterator[Place]:
    """The rows that count a trace that ended at this time. Hours, days, and weeks (from Monday) are
    in UTC."""
    hour = ended.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    day = hour.replace(hour=0)
    yield Place(Metric.Period.HOUR, hour, key)
    yield Place(Metric.Period.DAY, day, key)
    yield Place(Metric.Period.WEEK, day - timedelta(days=day.weekday()), key)
    yield Place(Metric.Period.EVER, EVER, key)


def add(counters: Mapping[Place, Counters]) -> None:
    """Adds to each row; inside the caller's transaction."""
    for place, amount in sorted(counters.items()):
        row = _locked(place)
        total = read_row(row)
        total.add(amount)
        Metric.objects.write(row.pk, **row_columns(total))


def _locked(place: Place) -> Metric:
    identity: Any = {"period": place.period, "hour": place.hour, **place.key._asdict()}
    row = Metric.objects.lock(**identity)
    if row is None:
        Metric.objects.bulk_create([Metric(**identity)], ignore_conflicts=True)
        row = Metric.objects.lock(**identity)
        assert row is not None
    return row


def forget_errors() -> int:
    """Clears the texts of errors whose span is deleted; the counts stay. Returns the number of rows
    that changed."""
    rows = Metric.objects.filter(last_failed=None).exclude(last_error="")
    return rows.update(last_error="")
