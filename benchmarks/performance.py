"""`python -m benchmarks.performance COMMIT`: all that `docs/performance.md` shows, of a commit
("before") and of another one or this tree ("after").

    python -m benchmarks.performance 90fc596                    with this tree, 40 minutes
    python -m benchmarks.performance 90fc596 --after HEAD       with a commit
    python -m benchmarks.performance 90fc596 --quick            25 minutes

Writes the comparison, the timelines, and the flame graphs.
"""

import argparse
import subprocess
import sys
import time

from benchmarks.bench import say
from benchmarks.product import ROOT
from benchmarks.states import short_id


def commands(
    before: str, after: str | None, rounds: int, *, quick: bool, flames_before: bool
) -> list[list[str]]:
    """The modules to run, with their arguments."""
    pair = [after, "--base", before] if after else [before]
    of_after = ["--base", after] if after else []
    timeline = [before, *(["--after", after] if after else [])]
    comparison = [*pair, "--rounds", str(rounds), *(["--quick"] if quick else [])]
    return [
        ["compare", *comparison],
        ["timeline", *timeline],
        ["timeline", *timeline, "--later"],
        *([["flames", "before", "--base", before]] if flames_before else []),
        ["flames", "after", *of_after],
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description="All figures of docs/performance.md.")
    parser.add_argument("before", help="a commit")
    parser.add_argument("--after", help="another commit (default: this tree as it is)")
    parser.add_argument("--rounds", type=int, default=2, help="runs of each (default 2)")
    parser.add_argument("--quick", action="store_true", help="less of each part")
    parser.add_argument("--keep-before", action="store_true", help="its flame graphs are there")
    options = parser.parse_args()
    began = time.monotonic()
    failed = []
    todo = commands(
        short_id(options.before),
        options.after and short_id(options.after),
        options.rounds,
        quick=options.quick,
        flames_before=not options.keep_before,
    )
    for module, *arguments in todo:
        say(f"{module} {' '.join(arguments)}")
        command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            failed.append(module)
    say(f"{(time.monotonic() - began) / 60:.0f} minutes; failed: {', '.join(failed) or 'nothing'}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
