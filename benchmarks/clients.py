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
from benchmarks.processes import Memory, command, cpu_ms, memory

ROOT = Path(__file__).resolve().parents[1]
SAMPLE_SECONDS = 1.0
# The work that the product does for the turns after the last one has ended is measured too.
SETTLE_SECONDS = 1.0


@dataclass(frozen=True)
class Usage:
    """CPU milliseconds of a run, in all and by command, and the largest memory sampled in it."""

    cpu_ms: float
    memory: Memory
    by_command: dict[str, float] = field(default_factory=dict)


class Meter:
    """Measures the CPU and memory of processes; `pids` lists the ones that run at a moment."""

    def __init__(self, pids: Callable[[], Sequence[int]]) -> None:
        self._pids = pids
        self._max_memory = Memory(0, 0)
        self._cpu_before: dict[int, float] = {}

    def begin(self) -> None:
        self._cpu_before = cpu_ms(self._pids())

    def sample(self) -> None:
        now = memory(self._pids())
        self._max_memory = max(self._max_memory, now, key=lambda memory: memory.pss)

    def end(self) -> Usage:
        """The usage since `begin`.

        The CPU time of a process that has ended counts for the parent that waited for it.
        """
        cpu = cpu_ms(self._pids())
        total = sum(cpu.values()) - sum(self._cpu_before.values())
        by_command: dict[str, float] = {}
        for pid, total_ms in cpu.items():
            name = command(pid)
            used_ms = total_ms - self._cpu_before.get(pid, 0.0)
            by_command[name] = by_command.get(name, 0.0) + used_ms
        return Usage(total, self._max_memory, by_command)


def run(module: str, options: Sequence[str], plan: Plan, meters: Sequence[Meter]) -> Figures:
    """The figures of a client that runs the plan; the meters measure while its turns run."""
    process = subprocess.Popen(
        [sys.executable, "-m", module, *options, *_arguments(plan)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
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
    time.sleep(SETTLE_SECONDS)
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
    ]
