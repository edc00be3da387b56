"""Which index SQLite uses for turns."""

import pytest
from django.db import connection
from django.utils import timezone

from chat.models import Turn

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL has statistics"),
]


def test_open_turns_are_found_without_reading_ended_ones() -> None:
    now = timezone.now()
    for turns in (Turn.objects.open(), Turn.objects.runnable(now).order_by("id")):
        assert "INDEX turn_open" in str(turns.explain())
