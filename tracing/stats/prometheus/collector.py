"""What Prometheus is told, made from the sums of all time when it asks.

Counters come from the `Measure` rows, which stay when traces go: they never go down, and all web
processes tell the same. Histograms have the buckets that OpenTelemetry asks for.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from tracing.models import Measure
from tracing.stats.aggregates import histogram
from tracing.stats.aggregates.counters import Key, Tally
from tracing.stats.aggregates.histogram import Histogram
from tracing.stats.dashboard import live, sums

KIND = Measure.Kind
# 0.01 s, doubling to 81.92 s.
DOUBLINGS = 13
BOUNDS = [f"{histogram.bound(histogram.A_DOUBLING * n) / 1000:g}" for n in range(DOUBLINGS + 1)]
NAMESPACE = "roundtrip"
MODEL = ("provider", "model")
TOOL = ("server", "tool")

Tallies = Mapping[Key, Tally]
# Labels, how many, and their sum in milliseconds.
Timed = tuple[Sequence[str], Histogram, int]


class Totals(Collector):
    """A collector that asks the database and Redis at each scrape."""

    def collect(self) -> Iterator[Metric]:
        """Three queries of the database, and one look at Redis."""
        tallies = sums.ever()
        yield from _turns(tallies)
        yield from _generations({key: t for key, t in tallies.items() if key.kind == "generation"})
        yield from _calls({key: t for key, t in tallies.items() if key.kind == "tool"})
        yield from _now()


def _turns(tallies: Tallies) -> Iterator[Metric]:
    turns = {
        key.name: t for key, t in tallies.items() if key.kind == "turn" and key.group == "turn"
    }
    counter = _counter("turns", "Turns that ended, by how.", ["status"])
    rounds = _counter("rounds", "Rounds of turns that ended.", [])
    for status, tally in turns.items():
        counter.add_metric([status], tally.count)
    rounds.add_metric([], sum(tally.rounds for tally in turns.values()))
    yield from (counter, rounds)
    whole = [([status], tally.durations, tally.total_ms) for status, tally in turns.items()]
    yield _seconds("turn_duration", "How long turns took.", ["status"], whole)
    first = [([s], tally.first_tokens, tally.first_tokens_ms) for s, tally in turns.items()]
    help_text = "From the beginning of a turn to its first token."
    yield _seconds("turn_time_to_first_token", help_text, ["status"], first)


def _generations(tallies: Tallies) -> Iterator[Metric]:
    yield _counted("generations", "Model calls, each attempt.", MODEL, tallies, "count")
    yield _counted("generation_errors", "Model calls that failed.", MODEL, tallies, "errors")
    yield _counted("generation_retries", "Attempts after the first.", MODEL, tallies, "retries")
    tokens = _counter("tokens", "Tokens, as providers count them.", [*MODEL, "type"])
    cost = _counter("cost_dollars", "US dollars, where prices are known.", MODEL)
    for key, tally in tallies.items():
        for kind, count in {
            "input": tally.tokens_in,
            "output": tally.tokens_out,
            "cached_input": tally.tokens_cached,
        }.items():
            tokens.add_metric([key.group, key.name, kind], count)
        cost.add_metric([key.group, key.name], float(tally.cost))
    yield from (tokens, cost)
    yield _durations("generation_duration", "How long model calls took.", MODEL, tallies)
    first = [([k.group, k.name], t.first_tokens, t.first_tokens_ms) for k, t in tallies.items()]
    help_text = "From the beginning of a model call to its first token."
    yield _seconds("generation_time_to_first_token", help_text, MODEL, first)


def _calls(tallies: Tallies) -> Iterator[Metric]:
    yield _counted("tool_calls", "Tool calls.", TOOL, tallies, "count")
    yield _counted("tool_call_errors", "Tool calls that failed.", TOOL, tallies, "errors")
    yield _durations("tool_call_duration", "How long tools took.", TOOL, tallies)


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
    name: str, help_text: str, labels: Sequence[str], tallies: Tallies, figure: str
) -> Metric:
    counter = _counter(name, help_text, labels)
    for key, tally in tallies.items():
        counter.add_metric([key.group, key.name], getattr(tally, figure))
    return counter


def _durations(name: str, help_text: str, labels: Sequence[str], tallies: Tallies) -> Metric:
    timed = [([key.group, key.name], t.durations, t.total_ms) for key, t in tallies.items()]
    return _seconds(name, help_text, labels, timed)


def _seconds(name: str, help_text: str, labels: Sequence[str], timed: Iterable[Timed]) -> Metric:
    metric = HistogramMetricFamily(f"{NAMESPACE}_{name}_seconds", help_text, labels=labels)
    for values, counts, total_ms in timed:
        cumulated = histogram.cumulated(counts, DOUBLINGS)
        buckets = list(zip([*BOUNDS, "+Inf"], map(float, cumulated), strict=True))
        metric.add_metric(values, buckets, total_ms / 1000)
    return metric
