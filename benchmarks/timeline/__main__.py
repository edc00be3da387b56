"""`python -m benchmarks.timeline`: where the time of one first token goes.

    python -m benchmarks.timeline                this tree
    python -m benchmarks.timeline 90fc596        that commit beside this tree, in alternating runs
    python -m benchmarks.timeline 90fc596 --after HEAD      beside a commit
    python -m benchmarks.timeline --later        later turns in place of new ones

Medians of many sends, one at a time. Writes `docs/performance/timeline.md`, or `timeline-later.md`.
"""

import argparse
import asyncio
import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.bench import WARM_UP, say
from benchmarks.figures import Outcome
from benchmarks.load import LoadClient, Target
from benchmarks.machine import machine
from benchmarks.measuring import Plan
from benchmarks.product import ROOT
from benchmarks.site import Site, running_site
from benchmarks.states import short_id, state
from benchmarks.timeline.moments import functions
from benchmarks.timeline.sends import Times, read_edges, times
from benchmarks.timeline.table import as_markdown

FOLDER = ROOT / "docs" / "performance"
MODEL = "stub-r50-n3"
# The first sends of a process fill its caches.
DISCARDED = 5
PAUSE_S = 0.1


def measure(folder: Path, sends: int, *, fresh: bool) -> list[Times]:
    """The moments of so many sends to the product in `folder`."""
    with TemporaryDirectory(prefix="timeline-") as calls:
        (Path(calls) / "functions.txt").write_text("\n".join(functions()))
        with running_site(1, folder, {"BENCH_CALLS": calls}) as site:
            site.run(WARM_UP)
            outcomes = asyncio.run(_send(site, DISCARDED + sends, fresh))[DISCARDED:]
        edges = read_edges(Path(calls))
    return [times(edges, outcome) for outcome in outcomes if not outcome.error]


async def _send(site: Site, count: int, fresh: bool) -> list[Outcome]:
    """The outcomes of turns one after another, with a pause after each: a turn has some work left
    when its last token has arrived."""
    target = Target(site.product.url, site.cookies.read_text().splitlines(), site.model(MODEL))
    client = LoadClient(target, 0, Plan(1, tokens=3, fresh=fresh))
    await client.open()
    outcomes = []
    for _ in range(count):
        outcomes.append(await client.turn(timeout=20.0))
        await asyncio.sleep(PAUSE_S)
    client.close()
    return outcomes


def main() -> int:
    parser = argparse.ArgumentParser(description="Where the time of one first token goes.")
    parser.add_argument("base", nargs="?", help="a commit that is measured too")
    parser.add_argument("--after", help="a commit in place of this tree")
    parser.add_argument("--later", action="store_true", help="later turns, not new conversations")
    parser.add_argument("--sends", type=int, default=40, help="of each run (default 40)")
    parser.add_argument("--rounds", type=int, default=2, help="runs of each version (default 2)")
    options = parser.parse_args()
    # SIGTERM raises SystemExit, so that the product and the stub are stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    revisions = [options.base, options.after] if options.base else [options.after]
    versions: dict[str, list[Times]] = {short_id(one): [] for one in revisions}
    with ExitStack() as stack:
        folders = [stack.enter_context(state(one)) for one in revisions]
        for number in range(options.rounds):
            for name, folder in zip(versions, folders, strict=True):
                say(f"timeline, round {number + 1}, {name}")
                versions[name] += measure(folder, options.sends, fresh=not options.later)
    kind = "a later turn" if options.later else "a new conversation"
    text = f"# One first token of {kind}\n\n{machine()}.\n\n{as_markdown(versions)}"
    (FOLDER / f"timeline{'-later' if options.later else ''}.md").write_text(text)
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
