"""Which process a pid and a start time mean."""

import os
import subprocess
import sys

from host import processes


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
