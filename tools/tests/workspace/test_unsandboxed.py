"""A command where there is no sandbox and the operator wants it all the same."""

import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from host.processes import parent_death_signal
from tests import patience
from tools.errors import ToolError
from tools.tests.commands import MB, gone, said, until
from tools.values.call import CallContext
from tools.workspace import availability, shell, unsandboxed
from tools.workspace.limits import Limits
from tools.workspace.sandbox import Folder
from tools.workspace.watching import Outcome

pytestmark = pytest.mark.process


def sh(script: str, workspace: Path, **limits: Any) -> Outcome:
    return unsandboxed.run(["/bin/sh", "-c", script], workspace, Limits(**limits))


@pytest.fixture
def no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without bubblewrap."""
    monkeypatch.setattr(availability, "_found", None)
    monkeypatch.setenv("PATH", "/nonexistent")


def test_a_command_runs_in_the_workspace(tmp_path: Path) -> None:
    outcome = sh("pwd; echo x > a; exit 3", tmp_path)
    assert (said(outcome), outcome.code) == (f"{tmp_path}\n", 3)
    assert not outcome.sandboxed
    assert (tmp_path / "a").exists()


def test_our_environment_is_not_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY_KEY", "sk-canary-987")
    assert "sk-canary" not in said(sh("env; tr '\\0' '\\n' < /proc/$PPID/environ", tmp_path))


def test_lent_folders_are_seen(tmp_path: Path) -> None:
    skill = tmp_path / "skill"
    skill.mkdir()
    (skill / "run.sh").write_text("echo hi")
    lent = [Folder(skill, "/skills/one")]
    command = ["/bin/sh", "-c", "sh $SKILLS/one/run.sh"]
    assert said(unsandboxed.run(command, tmp_path / "work", Limits(), lent)) == "hi\n"


@pytest.mark.parametrize(
    "escape",
    [
        "sleep 300 &",
        "setsid sleep 300 &",
        "(setsid sh -c 'sleep 300 & sleep 300' &)",
        "nohup sleep 300 &",
    ],
)
def test_nothing_stays_behind(escape: str, tmp_path: Path) -> None:
    outcome = sh(f"{escape}\necho done", tmp_path, seconds=20)
    assert said(outcome).endswith("done\n")
    assert outcome.seconds < 15
    until(lambda: gone(tmp_path))


@pytest.mark.parametrize(
    ("script", "limits", "name"),
    [
        ("sleep 60", {"seconds": 0.3}, "seconds"),
        ("setsid sleep 60 & wait", {"seconds": 0.3}, "seconds"),
        ("yes", {"output_bytes": 1_000}, "output_bytes"),
        # No bomb: nothing but the watch counts the processes of root.
        ("for i in $(seq 40); do sleep 20 & done; wait", {"processes": 16}, "processes"),
    ],
)
def test_limits_end_it(script: str, limits: dict[str, float], name: str, tmp_path: Path) -> None:
    assert sh(script, tmp_path, **limits).limit_name == name
    until(lambda: gone(tmp_path))


def test_memory_is_limited(tmp_path: Path) -> None:
    script = "x = []\nwhile True: x.append(bytearray(16 * 1024 * 1024))"
    limits = Limits(memory_bytes=200 * MB, seconds=20)
    outcome = unsandboxed.run(["python3", "-c", script], tmp_path, limits)
    assert outcome.limit_name == "memory_bytes" or b"MemoryError" in outcome.output


def test_a_command_that_ends_its_keeper_is_ended(tmp_path: Path) -> None:
    sh("kill -TERM $PPID; sleep 300", tmp_path, seconds=20)
    until(lambda: gone(tmp_path))


@pytest.mark.parametrize(
    "escape",
    ["setsid sleep 300 & kill -9 $PPID", "setsid sleep 300 >/dev/null 2>&1 & kill -9 $PPID"],
)
def test_a_command_that_kills_its_keeper_leaves_nothing_behind(escape: str, tmp_path: Path) -> None:
    sh(f"{escape}; sleep 300", tmp_path, seconds=0.5)
    until(lambda: gone(tmp_path))


def test_it_is_gone_when_it_is_cancelled(tmp_path: Path) -> None:
    cancelled = threading.Event()
    threading.Timer(0.3, cancelled.set).start()
    command = ["/bin/sh", "-c", "setsid sleep 300 & sleep 300"]
    outcome = unsandboxed.run(command, tmp_path, Limits(), is_cancelled=cancelled.is_set)
    assert outcome.limit_name == "stopped"
    until(lambda: gone(tmp_path))


def test_it_is_gone_when_its_worker_is_killed(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from tools.workspace import unsandboxed as u\n"
        "from tools.workspace.limits import Limits\n"
        "u.run(['/bin/sh', '-c', 'touch began; setsid sleep 300 & sleep 300'],"
        " Path(sys.argv[1]), Limits())"
    )
    worker = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], preexec_fn=parent_death_signal()
    )
    until((tmp_path / "began").exists)
    worker.send_signal(signal.SIGKILL)
    worker.wait(patience.SECONDS)
    until(lambda: gone(tmp_path))


@pytest.mark.usefixtures("no_sandbox")
def test_without_a_sandbox_the_tool_is_off_and_says_why(tmp_path: Path, settings: Settings) -> None:
    settings.UNSANDBOXED_SHELL = False
    assert "bwrap) is not installed" in shell.missing()
    with pytest.raises(ToolError, match="commands cannot be run here"):
        shell.bash("touch ran", CallContext(tmp_path))
    assert not (tmp_path / "ran").exists()


@pytest.mark.usefixtures("no_sandbox")
def test_the_opt_in_runs_it_and_says_so(tmp_path: Path, settings: Settings) -> None:
    settings.UNSANDBOXED_SHELL = True
    context = CallContext(tmp_path)
    assert shell.bash("pwd", context) == str(tmp_path)
    assert context.facts["sandbox"]["sandboxed"] is False
    assert "NO SANDBOX" in shell.description()
    assert shell.missing() == ""
