"""Several equal processes, forked from one that has imported everything.

A forked process shares the memory of its parent's imports until it writes to it, so a second one
costs a fraction of the first, and starts in milliseconds. The parent has neither threads nor
connections. It starts a process again that ends, and passes a stop on.
"""

import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

from config import readiness
from host import interpreter
from host.processes import parent_death_signal
from limits.processes import MAX_RESTART_PAUSE_S

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
# Seconds before a process that ended is started again; doubled while they end at once.
FIRST_PAUSE_S = 0.2
HEALTHY_S = 30.0

Work = Callable[[], int]


class Forks:
    """`count` processes that do `work`, whose result is their exit status."""

    def __init__(self, count: int, work: Work) -> None:
        self._count = count
        self._work = work
        # The moment of the start by process id.
        self._started: dict[int, float] = {}
        self._is_stopping = False
        self._status = 0
        self._pause = FIRST_PAUSE_S

    def run(self) -> int:
        """Returns when all have ended after SIGTERM, or with `readiness.HOPELESS`."""
        interpreter.freeze()
        for number in STOP_SIGNALS:
            signal.signal(number, self._stop)
        for _ in range(self._count):
            self._fork()
        while self._started:
            pid, status = os.wait()
            began = self._started.pop(pid, None)
            if began is not None and not self._is_stopping:
                self._start_again(pid, os.waitstatus_to_exitcode(status), time.monotonic() - began)
        return self._status

    def _fork(self) -> None:
        """No signal is handled between the fork and the moment at which both know who they are."""
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        try:
            parent = os.getpid()
            pid = os.fork()
            if pid == 0:
                self._be_forked(parent)
            self._started[pid] = time.monotonic()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

    def _be_forked(self, parent: int) -> None:
        """Does the work; never returns."""
        status = 1
        try:
            before_work = parent_death_signal(parent=parent)
            if before_work is not None:
                before_work()
            for number in STOP_SIGNALS:
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
            status = self._work()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)

    def _start_again(self, pid: int, status: int, lived_s: float) -> None:
        if status == readiness.HOPELESS:
            self._status = status
            self._stop()
            return
        self._pause = FIRST_PAUSE_S if lived_s > HEALTHY_S else self._pause
        sys.stdout.write(f"Process {pid} ended ({status}); starts again in {self._pause:.1f} s\n")
        sys.stdout.flush()
        time.sleep(self._pause)
        self._pause = min(self._pause * 2, MAX_RESTART_PAUSE_S)
        if not self._is_stopping:
            self._fork()

    def _stop(self, *_: Any) -> None:
        self._is_stopping = True
        for pid in list(self._started):
            os.kill(pid, signal.SIGTERM)
