"""Metrics for Prometheus, computed at each scrape from the rows of all time.

Counters come from the `Metric` rows of the database, which stay when traces are deleted: they never
go down, and are the same in all web processes. Histograms have the buckets of OpenTelemetry.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from tracing.stats.aggregates import histogram
from tracing.stats.aggregates.counters import Counters, Key
from tracing.stats.aggregates.histogram import BUCKETS_PER_DOUBLING, Histogram
from tracing.stats.dashboard import live, sums

# 0.01 s, doubling to 81.92 s.
DOUBLINGS = 13
_BUCKETS = range(0, (DOUBLINGS + 1) * BUCKETS_PER_DOUBLING, BUCKETS_PER_DOUBLING)
BOUNDS = [f"{histogram.bound(number) / 1000:g}" for number in _BUCKETS]
NAMESPACE = "roundtrip"
MODEL = ("provider", "model")
TOOL = ("server", "tool")

CountersByKey = Mapping[Key, Counters]
# Values of the labels, histogram, and sum in milliseconds.
Timed = tuple[Sequence[str], Histogram, int]


class Totals(Collector):
    """Reads the database and Redis at each scrape."""

    def collect(self) -> Iterator[Metric]:
        """Three queries of the database, and one round trip to Redis."""
        by_key = sums.all_time()
        yield from _turns(by_key)
        yield from _generations({key: t for key, t in by_key.items() if key.kind == "generation"})
        yield from _calls({key: t for key, t in by_key.items() if key.kind == "tool"})
        yield from _now()


def _turns(by_key: CountersByKey) -> Iterator[Metric]:
    turns = {key.name: t for key, t in by_key.items() if key.kind == "turn" and key.group == "turn"}
    counter = _counter("turns", "Turns that ended, by how.", ["status"])
    rounds = _counter("rounds", "Rounds of turns that ended.", [])
    for status, counters in turns.items():
        counter.add_metric([status], counters.count)
    rounds.add_metric([], sum(counters.rounds for counters in turns.values()))
    yield from (counter, rounds)
    whole = [([status], c.durations, c.total_ms) for status, c in turns.items()]
    yield _seconds("turn_duration", "How long turns took.", ["status"], whole)
    first = [([status], c.first_tokens, c.first_tokens_ms) for status, c in turns.items()]
    help_text = "From the beginning of a turn to its first token."
    yield _seconds("turn_time_to_first_token", help_text, ["status"], first)


def _generations(by_key: CountersByKey) -> Iterator[Metric]:
    yield _counted("generations", "Model calls, each attempt.", MODEL, by_key, "count")
    yield _counted("generation_errors", "Model calls that failed.", MODEL, by_key, "errors")
    yield _counted("generation_retries", "Attempts after the first.", MODEL, by_key, "retries")
    tokens = _counter("tokens", "Tokens, as providers count them.", [*MODEL, "type"])
    cost = _counter("cost_dollars", "US dollars, where prices are known.", MODEL)
    for key, counters in by_key.items():
        for kind, count in {
            "input": counters.tokens_in,
            "output": counters.tokens_out,
            "cached_input": counters.tokens_cached,
        }.items():
            tokens.add_metric([key.group, key.name, kind], count)
        cost.add_metric([key.group, key.name], float(counters.cost))
    yield from (tokens, cost)
    yield _durations("generation_duration", "How long model calls took.", MODEL, by_key)
    first = [([k.group, k.name], t.first_tokens, t.first_tokens_ms) for k, t in by_key.items()]
    help_text = "From the beginning of a model call to its first token."
    yield _seconds("generation_time_to_first_token", help_text, MODEL, first)


def _calls(by_key: CountersByKey) -> Iterator[Metric]:
    yield _counted("tool_calls", "Tool calls.", TOOL, by_key, "count")
    yield _counted("tool_call_errors", "Tool calls that failed.", TOOL, by_key, "errors")
    yield _durations("tool_call_duration", "How long tools took.", TOOL, by_key)


def _now() -> Iterator[Metric]:
    yield GaugeMetricFamily(f"{NAMESPACE}_up", "1: this process and its database answer.", 1)
    yield _gauge("open_turns", "Turns that have not ended.", live.open_turns())
    yield _gauge(
        "waiting_for_people", "Tool calls that wait for a person.", live.waiting_for_people()
    )
    broker = live.broker()
    yield _gauge("redis_up", "1: Redis answers.", int(broker.is_up))
    if not broker.is_up:
        return
    depths = GaugeMetricFamily(f"{NAMESPACE}_queue_depth", "Rings that wait.", labels=["queue"])
    workers = GaugeMetricFamily(f"{NAMESPACE}_workers", "Worker processes.", labels=["queue"])
    busy = GaugeMetricFamily(f"{NAMESPACE}_workers_busy", "What they work on.", labels=["queue"])
    for name, depth in broker.depths.items():
        serving = [worker for worker in broker.workers if worker.queue == name]
        depths.add_metric([name], depth)
        workers.add_metric([name], len(serving))
        busy.add_metric([name], sum(worker.busy for worker in serving))
    yield from (depths, workers, busy)


def _gauge(name: str, help_text: str, value: int) -> Metric:
    return GaugeMetricFamily(f"{NAMESPACE}_{name}", help_text, value)


def _counter(name: str, help_text: str, labels: Sequence[str]) -> CounterMetricFamily:
    return CounterMetricFamily(f"{NAMESPACE}_{name}", help_text, labels=labels)


def _counted(
    name: str, help_text: str, labels: Sequence[str], by_key: CountersByKey, figure: str
) -> Metric:
    counter = _counter(name, help_text, labels)
    for key, counters in by_key.items():
        counter.add_metric([key.group, key.name], getattr(counters, figure))
    return counter


def _durations(name: str, help_text: str, labels: Sequence[str], by_key: CountersByKey) -> Metric:
    timed = [([key.group, key.name], t.durations, t.total_ms) for key, t in by_key.items()]
    return _seconds(name, help_text, labels, timed)


def _seconds(name: str, help_text: str, labels: Sequence[str], timed: Iterable[Timed]) -> Metric:
    metric = HistogramMetricFamily(f"{NAMESPACE}_{name}_seconds", help_text, labels=labels)
    for values, counts, total_ms in timed:
        cumulated = histogram.cumulated(counts, DOUBLINGS)
        buckets = list(zip([*BOUNDS, "+Inf"], map(float, cumulated), strict=True))
        metric.add_metric(values, buckets, total_ms / 1000)
    return metric
