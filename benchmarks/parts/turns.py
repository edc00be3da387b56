"""CPU of short and of long turns, ten at a time. Turns of 200 tokens are those of the burst."""

from benchmarks.measuring import Plan
from benchmarks.parts.naming import cpu_per_1000, faults, shares, spread
from benchmarks.parts.scale import Scale
from benchmarks.site import Site

STREAMS = 10
LONG_RATE = 250


def measure(site: Site, scale: Scale) -> dict[str, float]:
    short = site.run(Plan(STREAMS, tokens=5, turns=scale.short_turns))
    a_turn = {
        role: used / STREAMS / scale.short_turns for role, used in short.usage.by_role.items()
    }
    long_plan = Plan(STREAMS, tokens=scale.long_tokens, timeout=120.0)
    long = site.run(long_plan, LONG_RATE)
    return {
        **shares("turns.5.cpu_a_turn_ms", a_turn),
        **spread("turns.5.first", short.figures.first_token, "p50", "p95"),
        **faults("turns.5", short.figures),
        **cpu_per_1000(f"turns.{scale.long_tokens}", long),
        **spread(f"turns.{scale.long_tokens}.latency", long.figures.latency),
        **faults(f"turns.{scale.long_tokens}", long.figures),
    }
