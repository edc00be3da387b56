"""The child that runs the cases of a table: `python -m tests.budgets.worker MODULE`.

MODULE has `CASES`. A line of stdin is the number of a case; the line that answers it is JSON:
`{"cpu_s", "memory_mb", "error"}`. CPU time is that of this process and of what it started;
memory is the growth of this process alone, at its highest. `error` is "" also for a refusal.

A case that takes far more CPU time than its budget ends the process: `ITIMER_PROF` does so within
a match of a regular expression too, and is not inherited by what the case starts.
"""

import json
import os
import resource
import signal
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.budgets.cases import Case, resolve

MAX_OVERRUN = 3  # times the budget of a case, and MAX_OVERRUN_S seconds more
MAX_OVERRUN_S = 2.0
MAX_ADDRESS_SPACE = 4 * 1024**3
OURS = ("chat.", "config.", "tools.", "tracing.")
TICK_S = 1 / os.sysconf("SC_CLK_TCK")
UTIME, CSTIME = 11, 14


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a case prints is no answer
    import django

    django.setup()
    cases: list[Case] = import_module(sys.argv[1]).CASES
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MAX_ADDRESS_SPACE, MAX_ADDRESS_SPACE))
    for line in sys.stdin:
        answers.write(json.dumps(_run(cases[int(line)])) + "\n")
        answers.flush()


def _run(case: Case) -> dict[str, Any]:
    function, arguments = resolve(case.function), case.arguments()
    Path("/proc/self/clear_refs").write_text("5")  # the highest is what there is (proc(5))
    memory_before, cpu_before = _memory_mb("VmRSS"), _cpu_s()
    error = ""
    with _ended_at(case.cpu_s * MAX_OVERRUN + MAX_OVERRUN_S):
        try:
            result = function(*arguments)
            if isinstance(result, Iterator):
                deque(result, maxlen=0)
        except Exception as raised:
            error = "" if _is_refusal(raised, case) else f"{type(raised).__name__}: {raised}"[:300]
    cpu_s, memory_mb = _cpu_s() - cpu_before, _memory_mb("VmHWM") - memory_before
    return {"cpu_s": cpu_s, "memory_mb": memory_mb, "error": error}


@contextmanager
def _ended_at(cpu_s: float) -> Iterator[None]:
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, cpu_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _is_refusal(error: Exception, case: Case) -> bool:
    return type(error).__module__.startswith(OURS) or isinstance(error, case.refused_by)


def _cpu_s() -> float:
    """Of this process, of its children that have ended, and of those that have not."""
    own, ended = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    running = sum(map(_cpu_of, _descendants(os.getpid())))
    return own.ru_utime + own.ru_stime + ended.ru_utime + ended.ru_stime + running


def _descendants(pid: int) -> Iterator[int]:
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, path.read_text().split()):
            yield child
            yield from _descendants(child)


def _cpu_of(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0  # it has just ended, and counts as such from now on
    return sum(map(int, fields[UTIME : CSTIME + 1])) * TICK_S


def _memory_mb(name: str) -> float:
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(name)) / 1e3


if __name__ == "__main__":
    main()
