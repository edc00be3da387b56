"""Adding tallies to the `Measure` rows of an hour, its day, its week, and all time."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from tracing.models import Measure
from tracing.stats.aggregates import counters as tallies
from tracing.stats.aggregates.counters import Key, Tally

# Where the row of all time stands.
EVER = datetime(2000, 1, 1, tzinfo=UTC)


class Place(NamedTuple):
    """Which row. Rows are locked in the order of these: nobody waits in a circle."""

    period: str
    hour: datetime
    key: Key


def places(ended: datetime, key: Key) -> Iterator[Place]:
    """The rows that count what ended then. Hours, days, and weeks from Monday on, are UTC's."""
    hour = ended.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    day = hour.replace(hour=0)
    yield Place(Measure.Period.HOUR, hour, key)
    yield Place(Measure.Period.DAY, day, key)
    yield Place(Measure.Period.WEEK, day - timedelta(days=day.weekday()), key)
    yield Place(Measure.Period.EVER, EVER, key)


def add(counted: Mapping[Place, Tally]) -> None:
    """Inside the caller's transaction."""
    for place, tally in sorted(counted.items()):
        row = _locked(place)
        total = tallies.read(row)
        total.add(tally)
        Measure.objects.write(row.pk, **tallies.columns(total))


def _locked(place: Place) -> Measure:
    given: Any = {"period": place.period, "hour": place.hour, **place.key._asdict()}
    row = Measure.objects.lock(**given)
    if row is None:
        Measure.objects.bulk_create([Measure(**given)], ignore_conflicts=True)
        row = Measure.objects.lock(**given)
        assert row is not None
    return row


def forget_errors() -> int:
    """What was said in errors goes with the evidence of it; how often stays. Answers how many rows
    were changed."""
    gone = Measure.objects.filter(last_failed=None).exclude(last_error="")
    return gone.update(last_error="")
