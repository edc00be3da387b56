"""Runs cases in a child, which is replaced when one of them ends it, and says what went wrong."""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, cast

from host.processes import parent_death_signal
from tests.budgets.cases import Case
from tests.slowness import slowness

ROOT = Path(__file__).parents[2]
# By the clock, for one case on a busy machine: CPU time is limited by the child itself.
DEADLINE_S = 60.0
MAX_AGAIN = 4  # times that a case is tried again which was over its budget


class Runner:
    """`module` has the table `CASES`."""

    def __init__(self, module: str, cases: Sequence[Case]) -> None:
        self._module, self._cases = module, cases
        self._child: subprocess.Popen[bytes] | None = None
        self.cpu_s: dict[str, float] = {}  # by the case's title

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._end()

    def failures(self, numbers: Iterable[int]) -> list[str]:
        """A sentence for each of these cases that fails."""
        found = ((self._cases[number], self._run(number)) for number in numbers)
        return [f"{case.title}: {why}" for case, why in found if why]

    def _run(self, number: int) -> str:
        case, answer = self._cases[number], self._answer(number)
        if isinstance(answer, str):
            return f"{answer}; its budget is {case.cpu_s:g} s of CPU time"
        cpu_s, memory_mb = answer["cpu_s"], answer["memory_mb"]
        for _ in range(MAX_AGAIN):  # what else the machine does makes CPU time longer, too
            if cpu_s > case.cpu_s and isinstance(again := self._answer(number), dict):
                cpu_s = min(cpu_s, again["cpu_s"] / slowness())
        self.cpu_s[case.title] = cpu_s
        if answer["error"]:
            return f"{answer['error']} escaped"
        if cpu_s > case.cpu_s:
            return f"{cpu_s:.2f} s of CPU time; its budget is {case.cpu_s:g} s"
        if memory_mb > case.memory_mb:
            return f"{memory_mb:.0f} MB of memory; its budget is {case.memory_mb:g} MB"
        return ""

    def _answer(self, number: int) -> dict[str, Any] | str:
        """What the child says, or why it says nothing."""
        if self._child is None:
            self._child = self._start()
        child = self._child
        source, target = cast(IO[bytes], child.stdout), cast(IO[bytes], child.stdin)
        target.write(f"{number}\n".encode())
        target.flush()
        if not select.select([source], [], [], DEADLINE_S)[0]:
            self._end()
            return f"it took more than {DEADLINE_S:g} s"
        line = source.readline()
        if line:
            answer: dict[str, Any] = json.loads(line)
            return answer
        self._end()
        ended = signal.Signals(-child.returncode).name if child.returncode < 0 else "an exit"
        return f"it ended the process by {ended}"

    def _start(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", "tests.budgets.worker", self._module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
            start_new_session=True,
            preexec_fn=parent_death_signal(),
        )

    def _end(self) -> None:
        """Also what the child has started."""
        child, self._child = self._child, None
        if child is not None:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
