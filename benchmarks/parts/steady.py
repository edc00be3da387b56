"""Long streams, of which ten begin a second: the tokens after all have begun, and the CPU that
these tokens alone take."""

from benchmarks.measuring import Plan
from benchmarks.parts.naming import cpu_per_1000, faults, shares, spread
from benchmarks.parts.scale import Scale
from benchmarks.site import RATE, Run, Site

BEGUN_A_SECOND = 10


def measure(site: Site, scale: Scale) -> dict[str, float]:
    figures: dict[str, float] = {}
    for streams in scale.steady:
        ramp = max(1.0, streams / BEGUN_A_SECOND)
        tokens = round(RATE * (ramp + scale.steady_seconds))
        run = site.run(Plan(streams, tokens, start_within=ramp, timeout=180.0))
        name = f"steady.{streams}"
        figures |= _steady(name, run)
        figures |= cpu_per_1000(f"long.{streams}", run)
        figures |= faults(name, run.figures)
    return figures


def _steady(name: str, run: Run) -> dict[str, float]:
    """None, if the last stream began after the first one had ended."""
    steady = run.figures.steady
    if steady is None:
        return {}
    a_second = run.usage.a_second(steady.began_us, steady.ended_us)
    thousands = steady.tokens / steady.seconds / 1000
    per_1000 = {process: used / thousands for process, used in a_second.items()}
    return {
        **spread(f"{name}.latency", steady.latency),
        f"{name}.max_ms": steady.latency.max,
        **shares(f"{name}.cpu_per_1000_ms", per_1000),
    }
