"""Moments come back from the database as they were stored."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.db.utils import DataError
from django.utils import timezone

from tracing.models import Span
from tracing.tests.builders import ATurn, a_user

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

MOMENTS = (
    datetime(2026, 11, 22, 9, 3, 25, tzinfo=UTC),
    datetime(2026, 11, 22, 9, 3, 25, 60_000, tzinfo=UTC),
    datetime(2026, 11, 22, 9, 3, 25, 61_305, tzinfo=UTC),
    datetime(2026, 11, 22, 9, 3, 25, 5, tzinfo=timezone.get_fixed_timezone(330)),
    datetime(1, 1, 1, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
)


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_moment_is_exact_and_in_utc(moment: datetime) -> None:
    span = ATurn(a_user()).a_round(1, (0, 100))
    Span.objects.filter(pk=span.pk).update(started=moment)
    found = Span.objects.get(pk=span.pk).started
    assert found == moment
    assert found.utcoffset() == timedelta(0)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite keeps text")
@pytest.mark.parametrize("beyond", ["infinity", "20000-01-01 00:00:00+00", "0001-01-01 BC"])
def test_what_is_beyond_a_calendar_is_refused(beyond: str) -> None:
    with connection.cursor() as cursor, pytest.raises(DataError):
        cursor.execute("SELECT %s::timestamptz", [beyond])
        cursor.fetchone()
