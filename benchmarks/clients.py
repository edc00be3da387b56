"""Runs the load client and the floor in processes of their own, and measures other processes'
CPU and memory meanwhile."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.figures import Figures
from benchmarks.measuring import Plan
from benchmarks.processes import command, cpu_ms, role_of, rss
from benchmarks.stub.text import now_us
from host.processes import parent_death_signal

ROOT = Path(__file__).resolve().parents[1]
SAMPLE_SECONDS = 0.5
# The work that the product does for the turns after the last one has ended is measured too: its
# workers look for such work every two seconds. It is over when the product uses little CPU.
MIN_SETTLE_SECONDS, MAX_SETTLE_SECONDS = 2.0, 15.0
IDLE_MS_A_SECOND = 60.0


@dataclass(frozen=True)
class Sample:
    """CPU milliseconds so far, by process, at a moment of CLOCK_MONOTONIC."""

    at_us: int
    cpu_ms: dict[str, float]


@dataclass(frozen=True)
class Usage:
    """CPU milliseconds of a run by process, the largest RSS sampled in it (MB), and its samples."""

    by_role: dict[str, float]
    peak_rss: float = 0.0
    samples: list[Sample] = field(default_factory=list)

    @property
    def cpu_ms(self) -> float:
        return sum(self.by_role.values())

    def a_second(self, began_us: int, ended_us: int) -> dict[str, float]:
        """CPU milliseconds a second by process, between the first and the last sample of this
        period; empty with fewer than two."""
        within = [one for one in self.samples if began_us <= one.at_us <= ended_us]
        if len(within) < 2:
            return {}
        first, last = within[0], within[-1]
        seconds = (last.at_us - first.at_us) / 1e6
        return {
            name: (used - first.cpu_ms.get(name, 0.0)) / seconds
            for name, used in last.cpu_ms.items()
        }


class Meter:
    """Measures the CPU and memory of processes; `pids` lists the ones that run at a moment.

    The CPU time of a process that has ended counts for the parent that waited for it.
    """

    def __init__(self, pids: Callable[[], Sequence[int]]) -> None:
        self._pids = pids
        self._roles: dict[int, str] = {}

    def begin(self) -> None:
        self._peak_rss = 0.0
        self._samples: list[Sample] = []
        self._before = self._cpu_ms(self._pids())

    def sample(self) -> None:
        pids = self._pids()
        self._samples.append(Sample(now_us(), self._cpu_ms(pids)))
        self._peak_rss = max(self._peak_rss, rss(pids))

    def settle(self) -> None:
        """Returns when the processes are idle, after `MAX_SETTLE_SECONDS` at the latest."""
        deadline = time.monotonic() + MAX_SETTLE_SECONDS
        time.sleep(MIN_SETTLE_SECONDS)
        while time.monotonic() < deadline:
            before = sum(self._cpu_ms(self._pids()).values())
            time.sleep(1.0)
            if sum(self._cpu_ms(self._pids()).values()) - before < IDLE_MS_A_SECOND:
                return

    def end(self) -> Usage:
        """The usage since `begin`."""
        self.sample()
        used = {
            name: total - self._before.get(name, 0.0)
            for name, total in self._samples[-1].cpu_ms.items()
        }
        return Usage(used, self._peak_rss, self._samples)

    def _cpu_ms(self, pids: Sequence[int]) -> dict[str, float]:
        sums: dict[str, float] = {}
        for pid, used in cpu_ms(pids).items():
            name = self._roles.setdefault(pid, role_of(command(pid)))
            sums[name] = sums.get(name, 0.0) + used
        return sums


def run(module: str, options: Sequence[str], plan: Plan, meters: Sequence[Meter]) -> Figures:
    """The figures of a client that runs the plan; the meters measure while its turns run."""
    process = subprocess.Popen(
        [sys.executable, "-m", module, *options, *_arguments(plan)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=parent_death_signal(),
    )
    assert process.stdout and process.stdin
    try:
        if process.stdout.readline() != "ready\n":
            raise RuntimeError(f"{module} could not begin")
        for meter in meters:
            meter.begin()
        process.stdin.write("go\n")
        process.stdin.flush()
        output = _output(process, meters)
    finally:
        process.kill()
        process.wait()
    for meter in meters:
        meter.settle()
    return Figures.from_json(json.loads(output))


def _output(process: subprocess.Popen[str], meters: Sequence[Meter]) -> str:
    while True:
        try:
            return process.communicate(timeout=SAMPLE_SECONDS)[0]
        except subprocess.TimeoutExpired:
            for meter in meters:
                meter.sample()


def _arguments(plan: Plan) -> list[str]:
    return [
        "--wait",
        *("--streams", str(plan.streams)),
        *("--tokens", str(plan.tokens)),
        *("--turns", str(plan.turns)),
        *("--start-within", str(plan.start_within)),
        *("--timeout", str(plan.timeout)),
        *("--discarded", str(plan.discarded)),
        *(["--fresh"] if plan.fresh else []),
    ]
