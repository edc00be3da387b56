"""Tokens and cost of the last days, drawn as the dashboard's charts (docs/decisions/charts.md)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.db.models import Sum
from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from chat.quotas import kinds
from tracing.models import Metric
from tracing.stats.dashboard import charts
from tracing.stats.dashboard.links import Links
from tracing.templatetags.trace_figures import dollars

DAYS = 30


@dataclass(frozen=True)
class Chart:
    """`rows`: those of the table of its values: day, tokens, cost."""

    tokens: SafeString
    cost: SafeString
    all_tokens: str
    all_cost: str
    sentence: str
    first: str
    last: str
    rows: SafeString
    is_empty: bool


@dataclass(frozen=True)
class _Day:
    label: str
    href: str
    read: int
    wrote: int
    cost: Decimal

    @property
    def tokens_text(self) -> str:
        texts = {"read": f"{self.read:,}", "wrote": f"{self.wrote:,}"}
        return gettext("%(read)s read, %(wrote)s written") % texts

    @property
    def row(self) -> tuple[str, str, tuple[str, ...]]:
        return self.label, self.href, (f"{self.read:,}", f"{self.wrote:,}", dollars(self.cost))


def of_last_days(now: datetime) -> Chart:
    """Of all people together, a column for each day in UTC, today's the last."""
    days = _days(kinds.begin_of_day(now))
    labels = [day.label for day in days]
    tokens = {"in": [day.read for day in days], "out": [day.wrote for day in days]}
    total = sum(day.read + day.wrote for day in days)
    money = sum((day.cost for day in days), Decimal(0))
    values = {"days": DAYS, "tokens": f"{total:,}", "cost": dollars(money)}
    return Chart(
        tokens=charts.columns(
            tokens, labels, lambda day: days[day].tokens_text, lambda _, day: days[day].href
        ),
        cost=charts.columns(
            {"cost": [day.cost for day in days]},
            labels,
            lambda day: dollars(days[day].cost),
            lambda _, day: days[day].href,
        ),
        all_tokens=f"{total:,}",
        all_cost=dollars(money),
        sentence=gettext("%(days)s days, %(tokens)s tokens, %(cost)s") % values,
        first=labels[0],
        last=labels[-1],
        rows=charts.rows(day.row for day in days if day.read or day.wrote or day.cost),
        is_empty=not total,
    )


def _days(today: datetime) -> list[_Day]:
    first = today - timedelta(days=DAYS - 1)
    rows = Metric.objects.filter(
        period=Metric.Period.DAY, kind=Metric.Kind.USER, hour__gte=first
    ).values_list("hour")
    sums = rows.annotate(Sum("tokens_in"), Sum("tokens_out"), Sum("cost"))
    used = {hour: figures for hour, *figures in sums}
    links = Links(first, today + timedelta(days=1)).bins(timedelta(days=1), DAYS)
    days = []
    for number in range(DAYS):
        day = first + timedelta(days=number)
        label = date_format(day, "MONTH_DAY_FORMAT")
        read, wrote, cost = used.get(day, (0, 0, Decimal(0)))
        days.append(_Day(label, links.to("tokens", "", number), read, wrote, cost))
    return days
