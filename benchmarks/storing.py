"""CPU of the product with and without stored payloads, in alternating runs.

    python -m benchmarks.storing                 100 streams, three runs of each
    python -m benchmarks.storing --streams 50 --runs 2

"Without" means that the four stages of a generation are recorded in memory and discarded
(`unrecorded/`). Writes `benchmarks/results/storing.json`.
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

from benchmarks.bench import WARM_UP, say
from benchmarks.measuring import Plan
from benchmarks.product import ROOT
from benchmarks.site import RATE, running_site

UNRECORDED = Path(__file__).parent / "unrecorded"
RESULT = ROOT / "benchmarks" / "results" / "storing.json"


def measure(plan: Plan, stores: bool) -> float:
    """CPU milliseconds of the product for 1,000 tokens."""
    environment = {} if stores else {"PYTHONPATH": str(UNRECORDED)}
    with running_site(max(plan.streams, WARM_UP.streams), environment=environment) as site:
        site.run(WARM_UP)
        return sum(site.run(plan).cpu_per_1000.values())


def main() -> int:
    parser = argparse.ArgumentParser(description="What storing payloads costs a turn.")
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--runs", type=int, default=3, help="of each, alternating (default 3)")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each stream (default 5)")
    options = parser.parse_args()
    plan = Plan(options.streams, round(RATE * options.seconds))
    cpu_ms: dict[bool, list[float]] = {True: [], False: []}
    for run in range(options.runs):
        for stores in (True, False):
            say(f"run {run + 1}, {'with' if stores else 'without'} storing")
            cpu_ms[stores].append(measure(plan, stores))
    stored, without = statistics.median(cpu_ms[True]), statistics.median(cpu_ms[False])
    result = {
        "streams": options.streams,
        "cpu_ms_per_1000_tokens": {"stored": cpu_ms[True], "without": cpu_ms[False]},
        "share": round(1 - without / stored, 4),
    }
    RESULT.write_text(json.dumps(result, indent=1) + "\n")
    sys.stdout.write(json.dumps(result) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
