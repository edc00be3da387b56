"""What the recording gateway adds: the same streaming calls directly and through it, in turns."""

import json
import subprocess
import sys
from collections.abc import Sequence

from benchmarks.clients import ROOT
from benchmarks.figures import percentile
from benchmarks.parts.scale import Scale
from benchmarks.site import Site

# Tokens a second of a stream, and its tokens.
RATE, TOKENS = 50, 50
# Seconds within which the streams of a turn begin.
SPREAD = 1.0


def measure(site: Site, scale: Scale) -> dict[str, float]:
    model = f"stub-r{RATE}-n{TOKENS}"
    site.model(model)
    seeded = site.product.run("benchmarks.gateway.seeding", {"username": "load-0"})
    figures: dict[str, float] = {}
    for streams, turns in scale.gateway:
        figures |= _streams(site, streams, turns, model, seeded["secret"])
    return figures


def _streams(site: Site, streams: int, turns: int, model: str, token: str) -> dict[str, float]:
    options = {
        "direct": site.stub.base_url,
        "gateway": f"{site.product.url}/gateway/stub/v1",
        "token": token,
        "model": model,
        "streams": streams,
        "turns": turns,
        "spread": SPREAD if streams > 1 else 0.0,
    }
    command = [sys.executable, "-m", "benchmarks.gateway.client", json.dumps(options)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    sides = json.loads(done.stdout)
    name = f"gateway.{streams}"
    figures = {f"{name}.failed_turns": float(sum(side["failed"] for side in sides.values()))}
    for what in ("first", "total"):
        for percent in (50, 95):
            direct, through = (_at(sides[side][what], percent) for side in ("direct", "gateway"))
            figures[f"{name}.direct.{what}_p{percent}_ms"] = direct
            figures[f"{name}.through.{what}_p{percent}_ms"] = through
            figures[f"{name}.added.{what}_p{percent}_ms"] = through - direct
    return figures


def _at(values: Sequence[float], percent: float) -> float:
    return percentile(sorted(values), percent)
