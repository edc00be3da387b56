"""The first token of turns that come one at a time: from writing the `send` frame to the receipt of
the first content delta."""

from benchmarks.figures import Spread
from benchmarks.measuring import Plan
from benchmarks.parts.naming import faults, shares, spread
from benchmarks.parts.scale import Scale
from benchmarks.site import Site

TOKENS = 3
# A process's first turns fill its caches.
DISCARDED = 5


def measure(site: Site, scale: Scale) -> dict[str, float]:
    later = Plan(1, TOKENS, turns=DISCARDED + scale.probes, discarded=DISCARDED)
    new = Plan(1, TOKENS, turns=DISCARDED + scale.probes, discarded=DISCARDED, fresh=True)
    figures: dict[str, float] = {}
    floor = site.floor(later).first_token if scale.floor else None
    figures |= spread("first.floor", floor, "p50", "p95")
    for name, plan in (("new", new), ("later", later)):
        run = site.run(plan)
        figures |= spread(f"first.{name}", run.figures.first_token, "p50", "p95")
        figures |= faults(f"first.{name}", run.figures)
        a_turn = {role: used / plan.turns for role, used in run.usage.by_role.items()}
        figures |= shares(f"first.{name}.cpu_a_turn_ms", a_turn)
        figures |= _ratio(f"first.{name}_to_floor", run.figures.first_token, floor)
    return figures


def _ratio(name: str, product: Spread | None, floor: Spread | None) -> dict[str, float]:
    return {name: product.p50 / floor.p50} if product and floor else {}
