"""Compares two states of the product in alternating runs on this machine.

    python -m benchmarks.compare 90fc596               this tree with that commit
    python -m benchmarks.compare main --base 90fc596   one commit with another
    python -m benchmarks.compare 90fc596 --quick --rounds 4 --part steady

Each run starts the product of one state on a fresh home: A B, then B A, and so on. The benchmarks
are those of this tree, and both states use its installed packages. Prints medians, ranges, and
whether a difference is larger than the spread (`benchmarks.comparison` has the rule); writes
`results/compare.md`, and every figure of every run to `results/compare.json`.
"""

import argparse
import json
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks import summary
from benchmarks.bench import Figures, bench, faults, say
from benchmarks.comparison import Comparison, as_markdown, cell, chance, comparisons, verdict
from benchmarks.machine import machine
from benchmarks.parts import PARTS
from benchmarks.parts.scale import Scale, scale_of
from benchmarks.product import ROOT, DidNotStart
from benchmarks.states import short_id, state
from benchmarks.tables import table

RESULTS = ROOT / "benchmarks" / "results"
# Minutes from the load to the memory afterwards; `make bench` waits longer.
AFTER_MINUTES = 2.0


def run_alternately(
    folders: Mapping[str, Path], rounds: int, scale: Scale, parts: Sequence[str]
) -> Iterator[tuple[str, Figures]]:
    """The figures of each run with the name of its state. Every other round begins with the other
    state, so that a machine that becomes slower harms both alike."""
    for number in range(rounds):
        names = sorted(folders, key=list(folders).index, reverse=number % 2 == 1)
        for name in names:
            say(f"round {number + 1} of {rounds}, {name}")
            figures = _bench(scale, parts, folders[name])
            for fault in faults(figures):
                say(f"{name}: {fault}")
            yield name, figures


def _bench(scale: Scale, parts: Sequence[str], folder: Path) -> Figures:
    """A product that does not start in time is started once more: the other runs are not lost."""
    try:
        return bench(scale, parts, folder)
    except DidNotStart as error:
        say(f"it did not start, again\n{error}")
        return bench(scale, parts, folder)


def report(before: str, after: str, runs: Mapping[str, Sequence[Figures]]) -> str:
    compared = comparisons(runs[before], runs[after])
    count = min(len(figures) for figures in runs.values())
    found = [
        f"- {name}: {one}" for name, all_ in runs.items() for run in all_ for one in faults(run)
    ]
    return "\n".join(
        [
            f"# {before} and {after} in alternating runs",
            "",
            f"{machine()}.",
            "",
            f"{count} runs of each. A figure is a median, with the smallest and the largest value. "
            "“Larger than the spread”: every run of one state lies below every run of the other, "
            "and the medians are farther apart than the runs of either state; between equal states "
            f"this holds in {chance(count):.1%} of the figures.",
            "",
            chief(compared),
            "## All figures",
            "",
            as_markdown(compared),
            *(["## Faults", "", *found, ""] if found else []),
        ]
    )


def chief(compared: Mapping[str, Comparison]) -> str:
    """The lines of the summary with their aims."""
    return table(("", "before", "after", "larger than the spread", "aim"), _chief_rows(compared))


def _chief_rows(compared: Mapping[str, Comparison]) -> Iterator[Sequence[str]]:
    for line in summary.LINES:
        figures = [compared[name] for name in line.figures if name in compared]
        if figures:
            yield (
                line.label,
                " / ".join(cell(one.before) for one in figures),
                " / ".join(cell(one.after) for one in figures),
                " / ".join(verdict(one) for one in figures),
                line.aim,
            )


def options_of(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Two states in alternating runs.")
    parser.add_argument("revision", help="compared with --base; without it, with this tree")
    parser.add_argument("--base", help="the state before; then REVISION is the state after")
    parser.add_argument("--rounds", type=int, default=2, help="runs of each state (default 2)")
    parser.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--quick", action="store_true", help="less of each part")
    parser.add_argument("--after", type=float, metavar="MINUTES", help="to the memory afterwards")
    return parser.parse_args(arguments)


def main() -> int:
    options = options_of()
    base = options.base or options.revision
    revision = options.revision if options.base else None
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    before, after = short_id(base), short_id(revision)
    after = after if after != before else f"{after} again"
    after_minutes = AFTER_MINUTES if options.after is None and not options.quick else options.after
    scale = scale_of(quick=options.quick, after_minutes=after_minutes)
    runs: dict[str, list[Figures]] = {before: [], after: []}
    with ExitStack() as stack:
        folders = {
            name: stack.enter_context(state(one))
            for name, one in ((before, base), (after, revision))
        }
        for name, figures in run_alternately(folders, options.rounds, scale, options.part):
            runs[name].append(figures)
            # At once, so that an interrupted comparison is not lost.
            (RESULTS / "compare.json").write_text(json.dumps(runs, indent=1) + "\n")
    text = report(before, after, runs)
    (RESULTS / "compare.md").write_text(text)
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
