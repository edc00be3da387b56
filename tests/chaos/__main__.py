"""`python -m tests.chaos --seed 1 --turns 500 --database sqlite`: ends with 1 if an invariant does
not hold. `--check LEDGER` reads the ledger of an earlier run instead."""

import argparse
import signal
import sys
import tempfile
from pathlib import Path

from tests.chaos import plan
from tests.chaos.campaign import Options, run
from tests.chaos.journal import Lines
from tests.chaos.report import checks, render

# Turns of a bounded product are answered by two cores beside everything else that runs there.
BOUND = 30.0


def main() -> int:
    # A run that is told to end leaves nothing behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    options = _arguments()
    lines = Lines.of(options.check) if options.check else _run(options)
    sys.stdout.write(render(lines))
    return int(any(check.violations for check in checks(lines)))


def _run(options: argparse.Namespace) -> Lines:
    postgres = options.database == "postgres"
    faults = plan.chosen(options.faults, postgres=postgres)
    made = plan.make(
        options.seed, options.turns, options.conversations, faults, tuple(options.pauses)
    )
    name = f"chaos-{options.database}-{options.seed}.jsonl"
    ledger = options.ledger or Path(tempfile.gettempdir()) / name
    lines = run(made, Options(postgres, ledger, options.bound, options.template))
    sys.stdout.write(f"Ledger: {ledger}\n")
    return lines


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--turns", type=int, default=500, help="messages that are sent")
    parser.add_argument("--conversations", type=int, default=20)
    parser.add_argument("--database", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument(
        "--faults", default="all", help=f"all, none, or some of {', '.join(plan.FAULTS)}"
    )
    parser.add_argument(
        "--pauses",
        type=float,
        nargs=2,
        default=(4.0, 12.0),
        metavar=("MIN", "MAX"),
        help="seconds between two faults",
    )
    parser.add_argument(
        "--bound", type=float, default=BOUND, help="seconds for which a turn may be held up"
    )
    parser.add_argument("--ledger", type=Path, help="where the ledger is written")
    parser.add_argument(
        "--template", type=Path, metavar="FILE", help="a migrated SQLite file, to begin with"
    )
    parser.add_argument("--check", type=Path, metavar="LEDGER", help="check an earlier run again")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
