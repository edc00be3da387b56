"""`python -m tests.soak --minutes 30`: mixed load on the running product; writes `soak.csv` and
`soak.svg` and ends with 1 if a figure grows or a part of the load failed. `--judge FILE` gives the
verdict on samples of an earlier run."""

import argparse
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.product import running_product
from tests.soak import samples
from tests.soak.load import MODELS, Load
from tests.soak.plot import draw
from tests.soak.samples import Row, Sampler
from tests.soak.verdict import judge, render

# Of what was asked for: a page beside a busy machine may take longer than its client waits.
FAILED_SHARE = 0.001


def main() -> int:
    # A run that is told to end leaves nothing behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    options = _arguments()
    is_sound = True
    if options.judge:
        rows = samples.read(options.judge)
    else:
        rows, is_sound = _run(options.minutes, options.seconds)
    options.folder.mkdir(parents=True, exist_ok=True)
    samples.write(rows, options.folder / "soak.csv")
    verdicts = judge(rows)
    draw(rows, verdicts, options.folder / "soak.svg")
    sys.stdout.write(render(verdicts) + f"  {options.folder}/soak.csv and soak.svg\n")
    return int(not is_sound or any(not one.is_flat for one in verdicts))


def _run(minutes: float, seconds: float) -> tuple[list[Row], bool]:
    """The samples; and whether the load was done, but for a share that may fail."""
    with running_product(MODELS) as product:
        token = product.run("benchmarks.gateway.seeding", {"username": "owner"})["secret"]
        sampler = Sampler(product, seconds)
        with Load(product, token) as load:
            sampler.start()
            time.sleep(minutes * 60)
            sampler.stop()
    for name, count in {**load.done, **load.failed}.items():
        sys.stdout.write(f"  {count:7,} {name}\n")
    missing = [name for name in load.parts if not load.done[name]]
    is_sound = load.failed.total() <= FAILED_SHARE * load.done.total() and not missing
    return sampler.rows, is_sound


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seconds", type=float, default=samples.SECONDS, help="between samples")
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "roundtrip-soak"
    )
    parser.add_argument("--judge", type=Path, metavar="CSV")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
