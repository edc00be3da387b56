"""Adds counters to the `Metric` rows of an hour, its day, its week, and all time."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from tracing.models import Metric
from tracing.stats.aggregates.counters import Counters, Key, read_row, row_columns

# The `hour` of the row of all time.
EVER = datetime(2000, 1, 1, tzinfo=UTC)


class Place(NamedTuple):
    """Identifies a row."""

    period: str
    hour: datetime
    kind: str
    group: str
    name: str


def places(ended: datetime, key: Key) -> Iterator[Place]:
    """The rows that count a trace that ended at this time. Hours, days, and weeks (from Monday) are
    in UTC."""
    hour = ended.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    day = hour.replace(hour=0)
    yield Place(Metric.Period.HOUR, hour, *key)
    yield Place(Metric.Period.DAY, day, *key)
    yield Place(Metric.Period.WEEK, day - timedelta(days=day.weekday()), *key)
    yield Place(Metric.Period.EVER, EVER, *key)


def add(counters: Mapping[Place, Counters]) -> None:
    """Adds to each row, all in two statements; inside the caller's transaction."""
    rows = _lock(list(counters))
    for place, amount in counters.items():
        total = read_row(rows[place])
        total.add(amount)
        for name, value in row_columns(total).items():
            setattr(rows[place], name, value)
    Metric.objects.insert_all(list(rows.values()), unique=Metric.PLACE)


def _lock(places: Sequence[Place]) -> dict[Place, Metric]:
    """The row of each place, which is made if there is none."""
    rows = _locked(places)
    missing = sorted(set(places) - rows.keys())
    if missing:
        new = [Metric(**place._asdict()) for place in missing]
        Metric.objects.bulk_create(new, ignore_conflicts=True)
        rows |= _locked(missing)
    return rows


def _locked(places: Sequence[Place]) -> dict[Place, Metric]:
    if not places:
        return {}
    rows = Metric.objects.lock(places)
    return {Place(*(getattr(row, name) for name in Metric.PLACE)): row for row in rows}


def forget_errors() -> int:
    """Clears the texts of errors whose span is deleted; the counts stay. Returns the number of rows
    that changed."""
    rows = Metric.objects.filter(last_failed=None).exclude(last_error="")
    return rows.update(last_error="")
