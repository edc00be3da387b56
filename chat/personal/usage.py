"""What a person has used: tokens, answers and cost of today and of this month, by model, the
bytes that are stored, and what of it is limited.

It is read from the counters of ended traces, which stay when conversations are deleted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet, Sum
from django.http import HttpRequest
from django.utils import timezone
from django.utils.safestring import SafeString

from chat import storage
from chat.models import QuotaRule
from chat.presentation.reader import zone_of_reader
from chat.quotas import standing
from chat.quotas.refusals import time_text
from chat.quotas.standing import Standing
from chat.storage import Usage
from db.users import signed_in_user
from limits.chat import MAX_USED_MODELS
from tracing.models import Metric
from tracing.stats.dashboard.charts import bar

_SUMS = ("count", "tokens_in", "tokens_out", "cost")


@dataclass(frozen=True)
class Consumption:
    """`answers` counts turns; the others include subagents, titles and playground runs. `cost`: US
    dollars, of models with prices."""

    answers: int
    tokens_in: int
    tokens_out: int
    cost: Decimal

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out


@dataclass(frozen=True)
class UsedModel:
    name: str
    used: Consumption


@dataclass(frozen=True)
class LimitBar:
    """A limit of the reader, drawn. `opens`: when it begins anew, "" if that depends on people."""

    limit: Standing
    drawing: SafeString
    opens: str


def context(request: HttpRequest) -> dict[str, Any]:
    """Days and months are those of the reader's time zone."""
    user = signed_in_user(request)
    now = timezone.localtime(timezone=zone_of_reader(request))
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    month = midnight.replace(day=1)
    stored: Usage = storage.usage(user.pk, within_s=storage.USAGE_S)
    zone = zone_of_reader(request)
    limits = standing.of(user, now, stored.total)
    return {
        "limits": [_bar(one, zone, now) for one in limits],
        "has_stored_limit": any(one.kind == QuotaRule.Kind.STORED_BYTES for one in limits),
        "today": consumption(user.pk, midnight, Metric.Period.HOUR),
        "month": consumption(user.pk, month, Metric.Period.DAY),
        "models": by_model(user.pk, month),
        "stored": stored,
        "most_stored": storage.limit_of(user.pk),
    }


def _bar(limit: Standing, zone: tzinfo, now: datetime) -> LimitBar:
    opens = time_text(limit.opens_at, zone, now) if limit.opens_at else ""
    return LimitBar(limit, bar(limit.share), opens)


def consumption(user_id: int, since: datetime, period: str) -> Consumption:
    """Of ended traces: they are counted some seconds after their end."""
    rows = _rows(Metric.Kind.USER, since, period).filter(name=str(user_id))
    return _consumption(rows.aggregate(*map(Sum, _SUMS)))


def by_model(user_id: int, since: datetime) -> Sequence[UsedModel]:
    """The models with the most tokens first."""
    rows = _rows(Metric.Kind.USER_MODEL, since, Metric.Period.DAY).filter(group=str(user_id))
    sums = rows.values("name").annotate(*map(Sum, _SUMS))
    found = [UsedModel(row["name"], _consumption(row)) for row in sums]
    return sorted(found, key=lambda one: (-one.used.tokens, one.name))[:MAX_USED_MODELS]


def _rows(kind: str, since: datetime, period: str) -> QuerySet[Metric]:
    """A day counts from its beginning in UTC, which is how days are kept."""
    begin = since.astimezone(UTC)
    if period == Metric.Period.DAY:
        begin = begin.replace(hour=0, minute=0)
    else:
        begin = begin.replace(minute=0)
    return Metric.objects.filter(period=period, kind=kind, hour__gte=begin)


def _consumption(sums: Mapping[str, Any]) -> Consumption:
    return Consumption(
        sums["count__sum"] or 0,
        sums["tokens_in__sum"] or 0,
        sums["tokens_out__sum"] or 0,
        sums["cost__sum"] or Decimal(0),
    )
