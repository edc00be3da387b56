"""A condition on several columns at once, on either database."""

from datetime import UTC, datetime

import pytest
from django.db import connection

from db.tuples import among
from tracing.models import Blob, Metric
from tracing.tests.builders import an_archive

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

HOUR = datetime(2026, 3, 1, 14, tzinfo=UTC)


def blob(archive_id: int, ordinal: int) -> Blob:
    return Blob(archive_id=archive_id, ordinal=ordinal, sha256=b"%d" % ordinal, size=0)


def test_rows_are_found_by_pairs_of_values() -> None:
    first, second = an_archive().pk, an_archive().pk
    Blob.objects.bulk_create(
        blob(archive, place) for archive in (first, second) for place in (1, 2)
    )
    chosen = Blob.objects.filter(among(Blob, ("archive", "ordinal"), [(first, 2), (second, 1)]))
    assert set(chosen.values_list("archive", "ordinal")) == {(first, 2), (second, 1)}


def test_times_and_texts_are_compared_as_the_fields_store_them() -> None:
    for period in ("hour", "day"):
        Metric.objects.create(period=period, hour=HOUR, kind="tool", name="查询")
    rows = [("hour", HOUR, "查询"), ("week", HOUR, "查询")]
    assert Metric.objects.filter(among(Metric, ("period", "hour", "name"), rows)).count() == 1


def test_sqlite_uses_an_index() -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL chooses by the size of the table")
    chosen = Blob.objects.filter(among(Blob, ("archive", "ordinal"), [(1, 2), (1, 3)]))
    assert "USING INDEX" in chosen.explain()
