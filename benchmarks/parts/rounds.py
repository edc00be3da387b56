"""CPU of a round with one tool call through the engine, by process: two turns at a time, of
ten rounds that each call `calculate`, and a last one that answers."""

from benchmarks.measuring import Plan
from benchmarks.parts.naming import faults, shares
from benchmarks.parts.scale import Scale
from benchmarks.site import Site

CALLING_ROUNDS = 10
STREAMS = 2


def measure(site: Site, scale: Scale) -> dict[str, float]:
    plan = Plan(STREAMS, tokens=5, turns=scale.calling_turns)
    run = site.run(plan, options=f"-t1-k{CALLING_ROUNDS}")
    rounds = STREAMS * plan.turns * (CALLING_ROUNDS + 1)
    a_round = {role: used / rounds for role, used in run.usage.by_role.items()}
    return {
        **shares("rounds.1.cpu_a_round_ms", a_round),
        **faults("rounds.1", run.figures),
        "rounds.1.seconds_a_round": run.figures.seconds / plan.turns / (CALLING_ROUNDS + 1),
    }
