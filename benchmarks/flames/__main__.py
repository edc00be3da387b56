"""`python -m benchmarks.flames NAME`: flame graphs of `turns` and `web` at 50 streams.

    python -m benchmarks.flames after                     this tree
    python -m benchmarks.flames before --base 90fc596     a commit

Writes `docs/performance/turns-NAME.svg` and `web-NAME.svg`.
"""

import argparse
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.bench import WARM_UP, say
from benchmarks.flames.drawing import flame_graph
from benchmarks.flames.sampling import Sampler
from benchmarks.flames.stacks import Frame
from benchmarks.measuring import Plan
from benchmarks.processes import command, role_of
from benchmarks.product import ROOT
from benchmarks.site import Site, running_site
from benchmarks.states import short_id, state

FOLDER = ROOT / "docs" / "performance"
PROCESSES = ("turns", "web")
STREAMS, TOKENS = 50, 200
SECONDS = 16.0


def main() -> int:
    parser = argparse.ArgumentParser(description="Flame graphs of turns and web at 50 streams.")
    parser.add_argument("name", help="the end of the files' names: before or after, say")
    parser.add_argument("--base", help="a commit in place of this tree")
    options = parser.parse_args()
    # SIGTERM raises SystemExit, so that the product and the stub are stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    FOLDER.mkdir(parents=True, exist_ok=True)
    with state(options.base) as folder, running_site(STREAMS, folder) as site:
        site.run(WARM_UP)
        sampled = sample(site)
    for process, folded in sampled.items():
        title = f"{process} at {STREAMS} streams of {TOKENS} tokens, {short_id(options.base)}"
        file = FOLDER / f"{process}-{options.name}.svg"
        file.write_text(flame_graph(Frame.from_folded(folded, process), title))
        say(f"{file.relative_to(ROOT)}: {file.stat().st_size // 1000} KB")
    return 0


def sample(site: Site) -> dict[str, str]:
    """The folded stacks of the processes under load; all processes of one name together."""
    turns = 2 + round(SECONDS / (TOKENS / 50))
    plan = Plan(STREAMS, TOKENS, turns=turns, timeout=60.0)
    with TemporaryDirectory(prefix="flames-") as parent, ThreadPoolExecutor(1) as pool:
        load = pool.submit(site.run, plan)
        samplers = [
            (role, Sampler(pid, SECONDS, Path(parent) / f"{pid}.txt"))
            for pid in site.product.pids
            if (role := role_of(command(pid))) in PROCESSES
        ]
        folded = dict.fromkeys(PROCESSES, "")
        for role, sampler in samplers:
            folded[role] += sampler.folded()
        load.result()
    return folded


if __name__ == "__main__":
    sys.exit(main())
