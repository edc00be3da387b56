"""`make bench`: the product under load beside the floor, on this machine.

    python -m benchmarks.run                         every part
    python -m benchmarks.run --part first burst      these parts, see `benchmarks.parts`
    python -m benchmarks.run --quick                 less of each
    python -m benchmarks.run --only 50               the burst of 50 streams

Prints the figures. A run of every part writes `results/bench.md` and a line of
`results/history.jsonl`. Ends with 1 if a token was lost or a turn failed, with 2 if the product did
not start.
"""

import argparse
import json
import signal
import sys
from dataclasses import replace

from benchmarks import history, summary, tables
from benchmarks.bench import Figures, bench, faults, say
from benchmarks.machine import Machine, machine
from benchmarks.parts import PARTS
from benchmarks.parts.scale import Scale, scale_of
from benchmarks.product import ROOT, DidNotStart

RESULT = ROOT / "benchmarks" / "results" / "bench.md"


def as_markdown(here: Machine, figures: Figures) -> str:
    return "\n".join(
        [
            "# Roundtrip under load",
            "",
            f"{here}. The stub model endpoint, the product and the load client share it.",
            "",
            "CPU is that of all processes of the product. [README](../README.md) says what the "
            "figures mean.",
            "",
            summary.as_markdown(figures),
            *(f"- {fault}" for fault in faults(figures)),
            tables.matrices(figures),
        ]
    )


def options_of(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The product under load, beside the floor.")
    parser.add_argument("--part", nargs="+", choices=PARTS, default=None)
    parser.add_argument("--quick", action="store_true", help="less of each part")
    parser.add_argument("--only", type=int, nargs="+", metavar="STREAMS", help="of the burst")
    parser.add_argument("--seconds", type=float, help="of each stream of the burst (default 4)")
    parser.add_argument("--after", type=float, metavar="MINUTES", help="to the memory afterwards")
    parser.add_argument("--no-floor", action="store_true", help="the product alone")
    parser.add_argument("--json", action="store_true", help="print JSON in place of the tables")
    return parser.parse_args(arguments)


def chosen_scale(options: argparse.Namespace) -> Scale:
    scale = scale_of(quick=options.quick, after_minutes=options.after)
    if options.only:
        scale = replace(scale, burst=tuple(options.only), steady=tuple(options.only))
    if options.seconds:
        scale = replace(scale, burst_seconds=options.seconds)
    if is_partial(options) and options.after is None:
        scale = replace(scale, after_seconds=0.0)
    return replace(scale, floor=not options.no_floor)


def is_partial(options: argparse.Namespace) -> bool:
    return bool(options.part or options.only)


def main() -> int:
    options = options_of()
    parts = options.part or (["burst"] if options.only else list(PARTS))
    # SIGTERM raises SystemExit, so that the product and the stub are stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    here = machine()
    try:
        figures = bench(chosen_scale(options), parts)
    except DidNotStart as error:
        say(f"the product did not start\n{error}")
        return 2
    text = as_markdown(here, figures)
    if not is_partial(options):
        RESULT.write_text(text)
        history.append(history.entry_of(figures, here, "quick" if options.quick else "whole"))
    sys.stdout.write(json.dumps(figures, indent=2) + "\n" if options.json else text)
    return int(bool(faults(figures)))


if __name__ == "__main__":
    sys.exit(main())
