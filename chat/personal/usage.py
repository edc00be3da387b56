"""What a person has used: tokens, answers and cost of the last days, and bytes that are stored."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db.models import Sum
from django.utils import timezone

from chat import storage
from chat.storage import Usage
from db.users import AnyUser
from tracing.models import Metric

DAYS = 30


@dataclass(frozen=True)
class Consumption:
    """Of the last `DAYS` days; `answers` counts turns, the others include subagents, titles and
    playground runs."""

    answers: int
    tokens_in: int
    tokens_out: int
    cost: Decimal


def context(user: AnyUser) -> dict[str, Any]:
    assert user.pk is not None
    stored: Usage = storage.usage(user.pk, within_s=storage.USAGE_S)
    return {
        "days": DAYS,
        "consumption": consumption(user.pk),
        "stored": stored,
        "most_stored": settings.USER_STORAGE_BYTES,
    }


def consumption(user_id: int) -> Consumption:
    """Of ended traces: they are counted some seconds after their end."""
    rows = Metric.objects.filter(
        period=Metric.Period.DAY,
        kind=Metric.Kind.USER,
        name=str(user_id),
        hour__gte=timezone.now() - timedelta(days=DAYS),
    )
    sums = rows.aggregate(
        *map(Sum, ("count", "tokens_in", "tokens_out", "cost")),
    )
    return Consumption(
        sums["count__sum"] or 0,
        sums["tokens_in__sum"] or 0,
        sums["tokens_out__sum"] or 0,
        sums["cost__sum"] or Decimal(0),
    )
