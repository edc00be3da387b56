"""Limits for Prometheus, beside the figures of `tracing.stats.prometheus`."""

from collections.abc import Iterator

import redis
from django.utils import timezone
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from chat.models import QuotaRule
from chat.quota_pages.consumers import groups
from chat.quotas import refusals
from tracing.stats.prometheus.collector import NAMESPACE


class LimitTotals(Collector):
    """Refusals by kind of limit, from Redis; and what the groups with the most tokens have used
    this month: as many as the page of usage lists."""

    def collect(self) -> Iterator[Metric]:
        """Three queries of the database, and one round trip to Redis."""
        refused = CounterMetricFamily(
            f"{NAMESPACE}_limit_refusals", "What limits have refused.", labels=["limit"]
        )
        try:
            counts = refusals.counts()
        except redis.RedisError:
            counts = {}
        for kind in QuotaRule.Kind.values:
            refused.add_metric([kind], counts.get(kind, 0))
        yield refused
        tokens = _gauge("group_tokens_month", "Tokens of a group's members in this month (UTC).")
        cost = _gauge("group_cost_month_dollars", "The same in US dollars.")
        for group in groups(timezone.now()):
            tokens.add_metric([group.name], group.tokens)
            cost.add_metric([group.name], float(group.cost))
        yield from (tokens, cost)


def _gauge(name: str, help_text: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"{NAMESPACE}_{name}", help_text, labels=["group"])
