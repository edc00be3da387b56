"""Streams that all begin within a second, a turn of 200 tokens each (with other `burst_seconds`: of
more or fewer)."""

from benchmarks.figures import Figures
from benchmarks.measuring import Plan
from benchmarks.parts.naming import cpu_per_1000, faults, spread
from benchmarks.parts.scale import Scale
from benchmarks.site import RATE, Site


def measure(site: Site, scale: Scale) -> dict[str, float]:
    figures: dict[str, float] = {}
    for streams in scale.burst:
        plan = Plan(streams, round(RATE * scale.burst_seconds), start_within=1.0)
        name = f"burst.{streams}"
        if scale.floor:
            figures |= _latencies(f"{name}.floor", site.floor(plan))
        run = site.run(plan)
        figures |= _latencies(name, run.figures)
        figures |= cpu_per_1000(name, run)
    return figures


def _latencies(name: str, figures: Figures) -> dict[str, float]:
    return {
        **spread(f"{name}.first", figures.first_token, "p50", "p95"),
        **spread(f"{name}.latency", figures.latency),
        **faults(name, figures),
    }
