"""No server process outlives the worker that started it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from host.processes import parent_death_signal
from tests import patience
from tools.errors import Failure, FailureKind
from tools.mcp.transports.processes import SETPRIV, Ledger, ending
from tools.tests.mcp.test_stdio_servers import is_gone, wait_until

pytestmark = pytest.mark.process

SLEEP = [sys.executable, "-c", "import time; time.sleep(3600)"]


def entry_of_a_dead_owner(ledger: Ledger, pid: int) -> Path:
    entry = ledger.enter(pid)
    words = entry.read_text().split()
    entry.write_text(" ".join([*words[:2], "999999999", "1", words[4]]))
    return entry


def test_a_program_whose_owner_is_gone_is_killed(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    program = subprocess.Popen(SLEEP, start_new_session=True, preexec_fn=parent_death_signal())
    entry = entry_of_a_dead_owner(ledger, program.pid)
    assert ledger.sweep() == [program.pid]
    assert program.wait(patience.SECONDS) == -9
    assert not entry.exists()


def test_grandchildren_are_killed_when_only_they_are_left(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    script = (
        "import subprocess, sys\n"
        "print(subprocess.Popen(['sleep', '3600']).pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    program = subprocess.Popen(
        [sys.executable, "-c", script],
        start_new_session=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        preexec_fn=parent_death_signal(),
    )
    assert program.stdout is not None
    grandchild = int(program.stdout.readline())
    entry_of_a_dead_owner(ledger, program.pid)
    assert program.stdin is not None
    program.stdin.close()
    program.wait(patience.SECONDS)
    program.stdout.close()
    assert ledger.sweep() == [program.pid]
    wait_until(lambda: is_gone(grandchild))


def test_a_program_whose_owner_lives_is_left_alone(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    program = subprocess.Popen(SLEEP, start_new_session=True, preexec_fn=parent_death_signal())
    try:
        entry = ledger.enter(program.pid)
        assert ledger.sweep() == []
        assert entry.exists()
        assert program.poll() is None
    finally:
        program.kill()
        program.wait()


def test_a_pid_that_someone_else_has_now_is_left_alone(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    program = subprocess.Popen(SLEEP, start_new_session=True, preexec_fn=parent_death_signal())
    try:
        entry = entry_of_a_dead_owner(ledger, program.pid)
        words = entry.read_text().split()
        entry.write_text(" ".join([words[0], "1", *words[2:]]))  # another start time
        assert ledger.sweep() == []
        assert program.poll() is None
    finally:
        program.kill()
        program.wait()


def test_an_entry_that_a_crash_cut_short_is_swept_away(tmp_path: Path) -> None:
    (tmp_path / "123").write_text("123 4")
    assert Ledger(tmp_path).sweep() == []
    assert list(tmp_path.iterdir()) == []


def test_kill_9_of_the_worker_takes_its_servers_along() -> None:
    script = (
        "import asyncio, sys\n"
        "from tools.values.server_config import ServerConfig\n"
        "from tools.mcp.transports.processes import start\n"
        "config = ServerConfig('s', 'stdio', 'sleep', ('3600',))\n"
        "async def main():\n"
        "    print((await start(config, 1000)).pid, flush=True)\n"
        "    await asyncio.sleep(3600)\n"
        "asyncio.run(main())\n"
    )
    worker = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, preexec_fn=parent_death_signal()
    )
    assert worker.stdout is not None
    server = int(worker.stdout.readline())
    # `setpriv` needs a moment to tie the program to its parent before it becomes it.
    wait_until(lambda: Path(f"/proc/{server}/comm").read_text() == "sleep\n")
    worker.kill()
    worker.communicate()
    wait_until(lambda: is_gone(server))


def test_the_kernel_ties_programs_to_us_on_this_machine() -> None:
    assert SETPRIV is not None
    assert os.access(SETPRIV, os.X_OK)


def test_an_exit_is_put_in_words() -> None:
    assert ending(None) is None
    assert ending(3) == Failure("exited with code 3", FailureKind.EXITED, 3)
    assert ending(-9) == Failure("was killed by SIGKILL", FailureKind.KILLED)
