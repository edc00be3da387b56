from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from audit.models import Action, Event
from audit.retention import sweep
from limits.audit import MAX_AUDIT_DAYS

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def of_age(days: float) -> Event:
    return Event.objects.create(action=Action.SIGNED_IN, when=timezone.now() - timedelta(days=days))


def test_rows_are_kept_for_the_days_of_the_limit() -> None:
    of_age(MAX_AUDIT_DAYS + 1)
    young = of_age(MAX_AUDIT_DAYS - 1)

    assert sweep() == 1
    assert list(Event.objects.all()) == [young]


def test_an_operator_sets_other_days(settings: Any) -> None:
    settings.AUDIT_RETENTION_DAYS = 2.0
    of_age(3)

    assert sweep() == 1
