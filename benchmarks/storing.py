"""CPU of the product with and without stored payloads, in alternating runs.

    python -m benchmarks.storing                 100 streams, three runs of each
    python -m benchmarks.storing --streams 50 --runs 2

"Without" means that the four stages of a generation are recorded in memory and discarded
(`unrecorded/`). Writes `benchmarks/results/storing.json`.
"""

import argparse
import json
import os
import statistics
import sys
from pathlib import Path

from benchmarks.product import ROOT, running_product
from benchmarks.run import WARM_UP, Load, UnderLoad, say
from benchmarks.stub import StubProcess, stub_process

UNRECORDED = Path(__file__).parent / "unrecorded"
RESULT = ROOT / "benchmarks" / "results" / "storing.json"


def measure(stub: StubProcess, load: Load, streams: int, stores: bool) -> float:
    """CPU milliseconds of the product for 1,000 tokens."""
    path = os.environ.get("PYTHONPATH", "")
    python_path = path if stores else os.pathsep.join(filter(None, [str(UNRECORDED), path]))
    with running_product({**os.environ, "PYTHONPATH": python_path}) as product:
        under_load = UnderLoad(product, stub, load, max(streams, WARM_UP.streams))
        under_load.run(WARM_UP)
        return under_load.point(streams, None).cpu_per_1000


def main() -> int:
    parser = argparse.ArgumentParser(description="What storing payloads costs a turn.")
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--runs", type=int, default=3, help="of each, alternating (default 3)")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each stream (default 5)")
    options = parser.parse_args()
    load = Load(50, options.seconds)
    cpu_ms: dict[bool, list[float]] = {True: [], False: []}
    with stub_process(log=False) as stub:
        for run in range(options.runs):
            for stores in (True, False):
                say(f"run {run + 1}, {'with' if stores else 'without'} storing")
                cpu_ms[stores].append(measure(stub, load, options.streams, stores))
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
