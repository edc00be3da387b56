"""The sandbox under attack: nothing gets out, all is cleaned up, the error says which limit."""

import os
import time
from pathlib import Path

import pytest

from tools.workspace import sandbox
from tools.workspace.availability import available
from tools.workspace.sandbox import Limits, Outcome

pytestmark = pytest.mark.skipif(bool(available()), reason=available())
MB = 1_024 * 1_024


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    tmp_path.chmod(0o700)  # as a server's home
    made = tmp_path / "workspace"
    made.mkdir()
    return made


def sh(script: str, workspace: Path, **limits: float) -> Outcome:
    return sandbox.run(["/bin/sh", "-c", script], workspace, Limits(**limits))  # type: ignore[arg-type]


def said(outcome: Outcome) -> str:
    return outcome.output.decode(errors="replace")


def test_a_command_runs_in_the_workspace(workspace: Path) -> None:
    (workspace / "a.txt").write_text("hello")
    outcome = sh("cat a.txt; echo more > b.txt; pwd", workspace)
    assert (said(outcome), outcome.code) == ("hello/workspace\n", 0)
    assert (workspace / "b.txt").read_text() == "more\n"


def test_its_exit_code_is_told(workspace: Path) -> None:
    assert sh("echo no >&2; exit 7", workspace).code == 7


def test_there_is_no_network(workspace: Path) -> None:
    outcome = sh("cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d ' '", workspace)
    assert said(outcome).split() == ["lo"]
    script = "import socket; socket.create_connection(('1.1.1.1', 53), 2)"
    assert sandbox.run(["python3", "-c", script], workspace, Limits()).code == 1


@pytest.mark.parametrize("place", ["/root", "/home", "/etc/passwd", "/var", "/sys", "/run"])
def test_what_is_not_the_system_s_programs_is_not_there(place: str, workspace: Path) -> None:
    assert sh(f"ls -la {place}", workspace).code != 0


def test_our_environment_is_nowhere(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY_KEY", "sk-canary-987")
    outcome = sh("env; cat /proc/*/environ /proc/1/cmdline 2>/dev/null | tr '\\0' '\\n'", workspace)
    assert "sk-canary-987" not in said(outcome)


def test_processes_outside_are_not_seen(workspace: Path) -> None:
    outcome = sh(f"ls /proc | grep -E '^[0-9]+$'; ls -d /proc/{os.getpid()}", workspace)
    assert f"/proc/{os.getpid()}\n" not in said(outcome)


@pytest.mark.parametrize("place", ["/usr/x", "/x", "/bin/x", "/workspace/../x"])
def test_nothing_is_written_outside(place: str, workspace: Path) -> None:
    assert sh(f"echo x > {place}", workspace).code != 0 or not Path(place).exists()
    assert not Path("/usr/x").exists()


def test_a_link_out_leads_nowhere(workspace: Path) -> None:
    (workspace / "out").symlink_to("/root")
    (workspace / "passwd").symlink_to("/etc/passwd")
    assert sh("ls out/ || cat passwd", workspace).code != 0


def test_a_fork_bomb_ends_at_its_limit(workspace: Path) -> None:
    outcome = sh("f() { f | f & f; }; f; sleep 20", workspace, seconds=15, processes=32)
    assert "processes" in outcome.limit or outcome.code != 0 or outcome.limit
    assert_empty(workspace)


def test_memory_is_limited(workspace: Path) -> None:
    script = "x = []\nwhile True: x.append(bytearray(16 * 1024 * 1024))"
    limits = Limits(memory_bytes=200 * MB, seconds=20)
    outcome = sandbox.run(["python3", "-c", script], workspace, limits)
    assert outcome.limit == "it used more than 200 MB of memory" or outcome.code != 0


def test_endless_output_ends_at_its_limit(workspace: Path) -> None:
    outcome = sh("yes", workspace, output_bytes=100_000, seconds=20)
    assert outcome.limit == "it wrote more than 100,000 bytes of output"
    assert len(outcome.output) == 100_000


def test_time_is_limited(workspace: Path) -> None:
    assert sh("sleep 60", workspace, seconds=0.3).limit == "it ran for more than 0.3 s"


def test_a_huge_file_is_refused(workspace: Path) -> None:
    limits = Limits(file_bytes=MB)
    outcome = sandbox.run(["/bin/sh", "-c", "head -c 2000000 /dev/zero > big"], workspace, limits)
    assert outcome.code != 0
    assert (workspace / "big").stat().st_size <= MB


def test_a_background_process_does_not_stay(workspace: Path) -> None:
    outcome = sh("(setsid sleep 300 &) ; echo done", workspace, seconds=20)
    assert said(outcome) == "done\n"
    assert outcome.seconds < 15
    assert_empty(workspace)


def test_a_namespace_in_the_namespace_is_refused(workspace: Path) -> None:
    assert sh("unshare -Ur true", workspace).code != 0


def test_a_cancelled_command_is_gone(workspace: Path) -> None:
    began = time.monotonic()
    outcome = sandbox.run(
        ["sleep", "60"], workspace, Limits(), is_cancelled=lambda: time.monotonic() > began + 0.3
    )
    assert outcome.limit == "it was stopped"


def assert_empty(workspace: Path) -> None:
    """No process of the sandbox is left."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        if not list(_with_workspace(workspace)):
            return
        time.sleep(0.05)
    raise AssertionError("a process is left")


def _with_workspace(workspace: Path) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if str(workspace) in (process / "cmdline").read_text():
                found.append(process.name)
        except OSError:
            continue
    return found
