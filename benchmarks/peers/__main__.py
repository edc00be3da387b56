"""`python -m benchmarks.peers VENV`: the first token and the burst of Chainlit, as `make bench` has
those of this product. VENV is the virtual environment in which Chainlit is installed. Writes
`results/chainlit.md`."""

import argparse
import secrets
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.bench import WARM_UP, say
from benchmarks.clients import Meter, run
from benchmarks.machine import machine
from benchmarks.measuring import Plan
from benchmarks.parts import first
from benchmarks.parts.naming import cpu_per_1000, faults, spread
from benchmarks.processes import tree
from benchmarks.product import ROOT
from benchmarks.site import RATE, Run
from benchmarks.stub import StubProcess, stub_process
from benchmarks.tables import matrices
from host.processes import parent_death_signal
from tests.environment import clean_environment
from tests.ports import free_port

APPLICATION = Path(__file__).with_name("chainlit_app.py")
RESULT = ROOT / "benchmarks" / "results" / "chainlit.md"
DATABASE = "chainlit.sqlite3"
START_SECONDS = 60
TOKENS = 200


class Peer:
    """A running Chainlit; `home` has its database and its output."""

    def __init__(self, url: str, pid: int, home: Path) -> None:
        self.url, self.pid, self.home = url, pid, home

    def run(self, plan: Plan) -> Run:
        meter = Meter(lambda: tree(self.pid))
        options = ["--url", self.url, "--model", f"stub-r{RATE}-n{plan.tokens}"]
        figures = run("benchmarks.peers.chainlit_client", options, plan, [meter])
        return Run(figures, meter.end())

    def stored(self) -> dict[str, float]:
        """How many threads and messages its database has."""
        with sqlite3.connect(self.home / DATABASE) as database:
            return {
                f"stored.{table}": database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                for table in ("threads", "steps")
            }


def measure(peer: Peer, burst: Sequence[int], probes: int) -> dict[str, float]:
    peer.run(WARM_UP)
    figures: dict[str, float] = {}
    for name, fresh in (("new", True), ("later", False)):
        turns = probes + first.DISCARDED
        plan = Plan(1, first.TOKENS, turns=turns, discarded=first.DISCARDED, fresh=fresh)
        result = peer.run(plan)
        figures |= spread(f"first.{name}", result.figures.first_token, "p50", "p95")
        figures |= faults(f"first.{name}", result.figures)
    for streams in burst:
        say(f"{streams} streams")
        result = peer.run(Plan(streams, TOKENS, timeout=120.0))
        name = f"burst.{streams}"
        figures |= spread(f"{name}.first", result.figures.first_token, "p50", "p95")
        figures |= spread(f"{name}.latency", result.figures.latency)
        figures |= cpu_per_1000(name, result)
        figures |= faults(name, result.figures)
    return figures | peer.stored()


@contextmanager
def running_chainlit(venv: Path, stub: StubProcess) -> Iterator[Peer]:
    with TemporaryDirectory(prefix="chainlit-") as home:
        port = free_port()
        environment = {
            **clean_environment(),
            "STUB_URL": stub.base_url,
            "DATABASE": f"{home}/{DATABASE}",
            "CHAINLIT_APP_ROOT": home,
            "CHAINLIT_AUTH_SECRET": secrets.token_hex(32),
        }
        command = [str(venv / "bin" / "chainlit"), "run", str(APPLICATION), "--headless"]
        with Path(home, "output.txt").open("wb") as output:
            process = subprocess.Popen(
                [*command, "--host", "127.0.0.1", "--port", str(port)],
                env=environment,
                cwd=home,
                stdout=output,
                stderr=subprocess.STDOUT,
                preexec_fn=parent_death_signal(),
            )
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_for(url, process, Path(home, "output.txt"))
            yield Peer(url, process.pid, Path(home))
        finally:
            process.terminate()
            process.wait(timeout=20)


def _wait_for(url: str, process: subprocess.Popen[bytes], output: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(output.read_text()[-2000:]) from None
            time.sleep(0.3)
        else:
            return


def main() -> int:
    parser = argparse.ArgumentParser(description="Chainlit under the same load.")
    parser.add_argument("venv", type=Path)
    parser.add_argument("--streams", type=int, nargs="+", default=[1, 10, 50, 100, 200])
    parser.add_argument("--probes", type=int, default=40)
    options = parser.parse_args()
    # SIGTERM raises SystemExit, so that Chainlit and the stub are stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with stub_process(log=False) as stub, running_chainlit(options.venv, stub) as peer:
        figures = measure(peer, options.streams, options.probes)
    text = f"# Chainlit under load\n\n{machine()}.\n\n{matrices(figures)}"
    RESULT.write_text(text)
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
