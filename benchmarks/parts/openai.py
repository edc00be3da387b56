"""The first token over `/v1/chat/completions` beside that over the websocket, in one run: each turn
begins a conversation, one at a time."""

from benchmarks.clients import Meter, run
from benchmarks.measuring import Plan
from benchmarks.parts.first import DISCARDED, TOKENS
from benchmarks.parts.naming import faults, spread
from benchmarks.parts.scale import Scale
from benchmarks.site import RATE, Site


def measure(site: Site, scale: Scale) -> dict[str, float]:
    plan = Plan(1, TOKENS, turns=DISCARDED + scale.probes, discarded=DISCARDED, fresh=True)
    page = site.run(plan)
    name = f"stub-r{RATE}-n{TOKENS}"
    seeded = site.product.run("benchmarks.gateway.seeding", {"username": "load-0"})
    options = [
        *("--url", site.product.url),
        *("--token", seeded["secret"]),
        *("--model", f"stub/{name}"),
    ]
    v1 = run("benchmarks.v1_load", options, plan, [Meter(lambda: site.product.pids)])
    figures: dict[str, float] = {}
    for side, measured in (("websocket", page.figures), ("v1", v1)):
        figures |= spread(f"openai.{side}.first", measured.first_token, "p50", "p95")
        figures |= faults(f"openai.{side}", measured)
    if page.figures.first_token and v1.first_token:
        figures["openai.v1_to_websocket"] = v1.first_token.p50 / page.figures.first_token.p50
    return figures
