"""Commands that use too much, or that would stay: all is ended, cleaned up, and said."""

import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from host.processes import parent_death_signal
from tests import patience
from tools.tests.commands import MB, gone, said, sandboxed, until
from tools.workspace import sandbox
from tools.workspace.availability import available
from tools.workspace.limits import Limits
from tools.workspace.removal import remove_workspace
from tools.workspace.watching import Outcome

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(bool(available()), reason=available() or "there is a sandbox"),
]


def python(script: str, workspace: Path, **limits: Any) -> Outcome:
    return sandbox.run(["python3", "-c", script], workspace, Limits(seconds=20, **limits))


def test_a_fork_bomb_ends_at_its_limit(tmp_path: Path) -> None:
    outcome = sandboxed("f() { f | f & f; }; f; sleep 20", tmp_path, seconds=15, processes=32)
    # A shell gives up where the kernel refuses it a process before anybody looks.
    told = outcome.limit or said(outcome)
    assert told == "it started more than 32 processes" or "fork" in told
    assert outcome.seconds < 10
    assert gone(tmp_path)


def test_memory_is_limited(tmp_path: Path) -> None:
    script = "x = []\nwhile True: x.append(bytearray(16 * 1024 * 1024))"
    outcome = python(script, tmp_path, memory_bytes=200 * MB)
    # A machine that is slow to look leaves it to the kernel, whose word Python passes on.
    told = outcome.limit or said(outcome).split()[-1]
    assert told in ("it used more than 200 MB of memory", "MemoryError")


def test_the_memory_of_all_processes_counts(tmp_path: Path) -> None:
    one = "python3 -c 'import time; x = bytearray(90 << 20); time.sleep(20)'"
    outcome = sandboxed(
        f"{one} & {one} & {one} & wait", tmp_path, memory_bytes=200 * MB, seconds=15
    )
    assert outcome.limit_name == "memory_bytes"


def test_pages_that_processes_share_count_once(tmp_path: Path) -> None:
    script = (
        "import os, time\nx = bytearray(90 << 20)\nfor _ in range(4): os.fork() or time.sleep(9)"
    )
    outcome = sandboxed(
        f"timeout 0.5 python3 -c '{script.replace(chr(10), chr(10))}'; echo $?",
        tmp_path,
        memory_bytes=200 * MB,
    )
    assert outcome.limit == ""


@pytest.mark.parametrize("place", ["/tmp", "/dev/shm"])
def test_files_in_memory_are_limited(place: str, tmp_path: Path) -> None:
    outcome = sandboxed(f"head -c 60M /dev/zero > {place}/x", tmp_path, tmp_bytes=8 * MB)
    assert "No space left" in said(outcome)


def test_endless_output_ends_at_its_limit(tmp_path: Path) -> None:
    outcome = sandboxed("yes", tmp_path, output_bytes=100_000, seconds=20)
    assert outcome.limit == "it wrote more than 100,000 bytes of output"
    assert len(outcome.output) == 100_000


@pytest.mark.parametrize("script", ["sleep 60", "trap '' TERM INT HUP; sleep 60 & wait; sleep 60"])
def test_time_is_limited(script: str, tmp_path: Path) -> None:
    assert sandboxed(script, tmp_path, seconds=0.3).limit == "it ran for more than 0.3 s"
    until(lambda: gone(tmp_path))


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    outcome = sandboxed("exec head -c 2000000 /dev/zero > big", tmp_path, file_bytes=MB)
    assert outcome.code == 128 + signal.SIGXFSZ
    assert (tmp_path / "big").stat().st_size <= MB


def test_the_workspace_as_a_whole_is_limited(tmp_path: Path) -> None:
    script = "for i in $(seq 200); do head -c 2M /dev/zero > f$i; sleep 0.01; done; sleep 20"
    outcome = sandboxed(script, tmp_path, workspace_bytes=10 * MB, seconds=20)
    assert outcome.limit == "the workspace would be larger than 10 MB"
    assert outcome.used.workspace_bytes > 10 * MB


def test_a_full_workspace_can_be_cleaned_up(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * 3 * MB)
    assert sandboxed("ls", tmp_path, workspace_bytes=MB).limit == ""
    assert sandboxed("rm big", tmp_path, workspace_bytes=MB).code == 0
    assert sandboxed("head -c 3M /dev/zero > b", tmp_path, workspace_bytes=MB).limit != ""


def test_removed_files_that_are_still_open_count(tmp_path: Path) -> None:
    script = (
        "import os, time\nkept = []\nfor i in range(30):\n f = open('x', 'wb'); os.unlink('x')\n"
        " f.write(bytes(1 << 20)); f.flush(); kept.append(f)\ntime.sleep(20)"
    )
    assert python(script, tmp_path, workspace_bytes=10 * MB).limit_name == "workspace_bytes"


def test_many_files_are_too_many(tmp_path: Path) -> None:
    script = "for i in $(seq 1000); do : > $i; done; sleep 20"
    outcome = sandboxed(script, tmp_path, workspace_files=100, seconds=20)
    assert outcome.limit == "the workspace has more than 100 files"


def test_folders_in_folders_end_somewhere_and_are_removed(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    script = "import os, time\nfor _ in range(2000): os.mkdir('d'); os.chdir('d')\ntime.sleep(20)"
    assert python(script, workspace).limit_name == "depth"
    remove_workspace(workspace)
    assert not workspace.exists()


def test_a_full_disk_ends_what_fills_it(tmp_path: Path) -> None:
    script = "head -c 3M /dev/zero > x; sleep 20"
    outcome = sandboxed(script, tmp_path, disk_free_bytes=2**50, seconds=20)
    assert outcome.limit == "the server's disk is nearly full"


def test_a_workspace_that_is_deleted_ends_its_command(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    cleaner = threading.Thread(target=_remove_once_begun, args=(workspace,))
    cleaner.start()
    outcome = sandboxed("touch began; sleep 60", workspace, seconds=20)
    cleaner.join(patience.SECONDS)
    assert outcome.limit == "its workspace was removed"


def _remove_once_begun(workspace: Path) -> None:
    until((workspace / "began").exists)
    remove_workspace(workspace)


@pytest.mark.parametrize(
    "script",
    [
        "sleep 300 & echo done",
        "(setsid nohup sleep 300 > /dev/null 2>&1 &); echo done",
        "(setsid sh -c '(sleep 300 &) ; sleep 300' > /dev/null 2>&1 &); echo done",
    ],
)
def test_a_background_process_does_not_stay(script: str, tmp_path: Path) -> None:
    outcome = sandboxed(script, tmp_path, seconds=20)
    assert (said(outcome), outcome.limit) == ("done\n", "")
    assert outcome.seconds < 15
    assert gone(tmp_path)


def test_a_command_that_says_nothing_any_more_is_waited_for(tmp_path: Path) -> None:
    sandboxed("exec >&- 2>&-; sleep 0.2; touch after", tmp_path)
    assert (tmp_path / "after").exists()


def test_a_cancelled_command_is_gone(tmp_path: Path) -> None:
    cancelled = threading.Event()
    threading.Timer(0.3, cancelled.set).start()
    command = ["/bin/sh", "-c", "echo begun; setsid sleep 300 & sleep 300"]
    outcome = sandbox.run(command, tmp_path, Limits(), is_cancelled=cancelled.is_set)
    assert (outcome.limit, said(outcome)) == ("it was stopped", "begun\n")
    assert gone(tmp_path)


def test_nothing_is_left_when_its_worker_is_killed(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from tools.workspace import sandbox\n"
        "command = ['/bin/sh', '-c', 'touch began; setsid sleep 300 & sleep 300']\n"
        "sandbox.run(command, Path(sys.argv[1]), sandbox.Limits())"
    )
    worker = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], preexec_fn=parent_death_signal()
    )
    until((tmp_path / "began").exists)
    worker.send_signal(signal.SIGKILL)
    worker.wait(patience.SECONDS)
    until(lambda: gone(tmp_path))


def test_it_is_told_how_far_a_command_is(tmp_path: Path) -> None:
    told: list[str] = []
    script = "echo one; echo two; until [ -e go ]; do sleep 0.01; done"

    def tell(seconds: float, line: str) -> None:
        told.append(line)
        if line == "two":
            (tmp_path / "go").touch()

    sandbox.run(["/bin/sh", "-c", script], tmp_path, Limits(), tell=tell)
    assert told[-1] == "two"


def test_the_span_is_told_what_was_used_and_what_was_allowed(tmp_path: Path) -> None:
    limits = Limits(output_bytes=10)
    outcome = sandbox.run(["/bin/sh", "-c", "yes"], tmp_path, limits)
    facts = outcome.facts(limits)
    assert (facts["limit"], facts["exit_code"], facts["sandboxed"]) == ("output_bytes", None, True)
    assert facts["limits"]["output_bytes"] == 10
    assert facts["used"]["output_bytes"] > 10


def test_commands_leave_no_open_files_and_threads(tmp_path: Path) -> None:
    sandboxed("true", tmp_path)
    before = len(list(Path("/proc/self/fd").iterdir())), threading.active_count()
    for script in ("true", "yes", "exit 3"):
        sandboxed(script, tmp_path, output_bytes=1_000)
    assert (len(list(Path("/proc/self/fd").iterdir())), threading.active_count()) == before


PAGE_TABLES = """
import mmap, time
# Reading costs no pages, but the tables that lead to the one page of zeros.
KIND = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, "prot": mmap.PROT_READ}
areas = [mmap.mmap(-1, 1 << 30, **KIND) for _ in range(24)]
for area in areas:
    area.madvise(mmap.MADV_NOHUGEPAGE)
    for position in range(0, 1 << 30, 1 << 21):
        area[position]
time.sleep(60)
"""
SOCKETS = """
import socket, time
pairs = [socket.socketpair() for _ in range(200)]
time.sleep(60)
"""


def test_page_tables_count_as_memory(tmp_path: Path) -> None:
    outcome = python(PAGE_TABLES, tmp_path, memory_bytes=40 * MB, tmp_bytes=MB)
    assert outcome.limit_name == "memory_bytes"


def test_sockets_are_limited(tmp_path: Path) -> None:
    assert python(SOCKETS, tmp_path).limit_name == "sockets"


@pytest.mark.parametrize("place", ["/tmp", "/dev/shm"])
def test_names_of_files_in_memory_are_limited(place: str, tmp_path: Path) -> None:
    script = f"cd {place}; i=0; while :; do : > $i; i=$((i+1)); done"
    assert sandboxed(script, tmp_path, tmp_files=2_000).limit_name == "tmp_files"


def test_a_command_that_is_stopped_at_once_is_gone(tmp_path: Path) -> None:
    for _ in range(20):
        outcome = sandbox.run(["sleep", "60"], tmp_path, Limits(), is_cancelled=lambda: True)
        assert outcome.limit_name == "stopped"
