"""Which process a pid and a start time mean, and what ends with its parent."""

import os
import signal
import subprocess
import sys
import threading

from host import processes

SLEEP = ["sleep", "1000"]


def test_a_process_keeps_its_start_time_and_loses_it_with_its_end() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        began = processes.start_time(child.pid)
        assert began.isdecimal()
        assert int(began) >= int(processes.start_time(os.getpid()))
        assert processes.start_time(child.pid) == began
        assert int(processes.stats()[child.pid][processes.PARENT]) == os.getpid()
        assert child.stdin is not None
        child.stdin.close()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert processes.stat(child.pid)[processes.STATE] == "Z"
        assert processes.start_time(child.pid) == ""
    assert processes.stat(child.pid) == []


def test_a_boot_has_an_id() -> None:
    assert len(processes.boot_id()) == 36


def test_a_child_ends_with_the_thread_that_made_it() -> None:
    """Of the process it is the first thread that makes children which are to last."""
    children = []

    def start() -> None:
        tie = processes.parent_death_signal()
        children.append(subprocess.Popen(SLEEP, preexec_fn=tie))

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert children[0].wait(5) == -signal.SIGKILL


def test_a_child_whose_parent_is_gone_already_does_not_begin() -> None:
    tie = processes.parent_death_signal(parent=os.getppid())
    assert subprocess.run(["true"], preexec_fn=tie).returncode == 1
