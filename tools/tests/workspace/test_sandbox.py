"""The sandbox under attack: nothing gets out, and nothing of ours is seen."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from host.processes import parent_death_signal
from tools.errors import ToolError
from tools.tests.commands import said, sandboxed
from tools.workspace import bubblewrap, sandbox
from tools.workspace.availability import available
from tools.workspace.limits import Limits
from tools.workspace.sandbox import Folder

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(bool(available()), reason=available() or "there is a sandbox"),
]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    tmp_path.chmod(0o700)  # as a server's home
    made = tmp_path / "workspace"
    made.mkdir()
    return made


def python(script: str, workspace: Path) -> str:
    """What a script prints."""
    return said(sandbox.run(["python3", "-c", script], workspace, Limits())).strip()


def test_a_command_runs_in_the_workspace(workspace: Path) -> None:
    (workspace / "a.txt").write_text("hello")
    outcome = sandboxed("cat a.txt; echo more > b.txt; pwd", workspace)
    assert (said(outcome), outcome.code) == ("hello/workspace\n", 0)
    assert (workspace / "b.txt").read_text() == "more\n"


def test_a_workspace_that_is_not_there_is_made(tmp_path: Path) -> None:
    assert sandboxed("touch a", tmp_path / "new").code == 0
    assert (tmp_path / "new" / "a").exists()


def test_its_exit_code_is_told(workspace: Path) -> None:
    assert sandboxed("echo no >&2; exit 7", workspace).code == 7


def test_ordinary_tools_work(workspace: Path) -> None:
    script = "seq 3 | sort -r | awk '{print $1*2}'; echo 你好 | wc -m; python3 -c 'print(6*7)'"
    assert said(sandboxed(script, workspace)).split() == ["6", "4", "2", "3", "42"]


def test_there_is_no_network(workspace: Path) -> None:
    outcome = sandboxed("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '", workspace)
    assert said(outcome).split() == ["lo"]
    script = "import socket; socket.create_connection(('1.1.1.1', 53), 2)"
    assert "Network is unreachable" in python(script, workspace)


def test_what_listens_on_this_machine_is_not_reached(workspace: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _LISTENING],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        preexec_fn=parent_death_signal(),
    ) as server:
        assert server.stdout is not None
        port, name = json.loads(server.stdout.readline())
        for family, address in (("INET", ("127.0.0.1", port)), ("UNIX", name)):
            script = f"import socket; socket.socket(socket.AF_{family}).connect({address!r})"
            assert "Connection refused" in python(script, workspace)
        server.kill()


_LISTENING = """
import json, socket, sys
one, two = socket.socket(), socket.socket(socket.AF_UNIX)
one.bind(("127.0.0.1", 0)); one.listen()
name = "\\0roundtrip-test-%d" % one.getsockname()[1]
two.bind(name); two.listen()
print(json.dumps([one.getsockname()[1], name]), flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("family", ["AF_VSOCK", "AF_PACKET", "AF_ALG"])
def test_sockets_beside_the_network_are_refused(family: str, workspace: Path) -> None:
    script = f"import socket; socket.socket(socket.{family}, socket.SOCK_STREAM)"
    assert "Address family not supported" in python(script, workspace)


@pytest.mark.parametrize(
    "place", ["/root", "/home", "/etc/passwd", "/etc/shadow", "/var", "/sys", "/run", "/dev/vda"]
)
def test_what_is_not_the_system_s_programs_is_not_there(place: str, workspace: Path) -> None:
    assert sandboxed(f"ls -la {place}", workspace).code != 0


def test_our_environment_is_nowhere(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY_KEY", "sk-canary-987")
    script = "env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'"
    assert "sk-canary-987" not in said(sandboxed(script, workspace))


def test_no_open_file_of_ours_is_inherited(workspace: Path) -> None:
    with (workspace.parent / "secret").open("w") as ours:
        os.set_inheritable(ours.fileno(), True)
        assert python("import os; print(len(os.listdir('/proc/self/fd')))", workspace) == "4"


def test_processes_outside_are_neither_seen_nor_hit(workspace: Path) -> None:
    with subprocess.Popen(["sleep", "60"], preexec_fn=parent_death_signal()) as other:
        listed = said(sandboxed("ls /proc", workspace)).split()
        assert len([name for name in listed if name.isdigit()]) < 8
        assert sandboxed(f"kill -9 {other.pid}", workspace).code != 0
        sandboxed("kill -9 -1", workspace)
        assert other.poll() is None
        other.kill()


@pytest.mark.parametrize(
    "place",
    ["/usr/x", "/x", "/bin/x", "/workspace/../x", "/dev/x", "/etc/x", "/proc/sys/kernel/hostname"],
)
def test_nothing_is_written_outside(place: str, workspace: Path) -> None:
    assert sandboxed(f"echo x > {place}", workspace).code != 0


def test_a_link_out_leads_nowhere(workspace: Path) -> None:
    (workspace / "out").symlink_to("/root")
    (workspace / "passwd").symlink_to("/etc/passwd")
    assert sandboxed("ls out/ || cat passwd", workspace).code != 0


def test_the_workspace_itself_cannot_be_removed_or_moved(workspace: Path) -> None:
    outcome = sandboxed(
        "cd /; rmdir /workspace; mv /workspace /tmp/w; rm -rf /workspace", workspace
    )
    assert outcome.code != 0
    assert workspace.is_dir()


def test_a_workspace_that_was_closed_is_opened_again(workspace: Path) -> None:
    sandboxed("mkdir -m 0 closed; chmod 0 /workspace", workspace)
    assert sandboxed("ls", workspace).output == b"closed\n"


def test_no_path_of_the_server_is_told_inside(workspace: Path) -> None:
    script = "sleep 0.1; cat /proc/*/cmdline /proc/*/environ | tr '\\0' ' '"
    assert str(workspace.parent).encode() not in sandboxed(script, workspace).output


def test_nobody_has_rights_inside(workspace: Path) -> None:
    status = said(sandboxed("cat /proc/self/status", workspace))
    found = dict(line.split(":\t") for line in status.splitlines() if ":\t" in line)
    assert {found[name] for name in ("CapEff", "CapPrm", "CapBnd", "CapAmb")} == {"0" * 16}
    assert (found["NoNewPrivs"], found["Seccomp"]) == ("1", "2")


@pytest.mark.parametrize(
    "command", ["bwrap --dev-bind / / true", "unshare -Ur true", "unshare -m true"]
)
def test_a_namespace_in_the_namespace_is_refused(command: str, workspace: Path) -> None:
    assert sandboxed(command, workspace).code != 0


def test_a_setuid_program_gives_nobody_rights(workspace: Path) -> None:
    script = "cp /usr/bin/id mine; chmod 4755 mine; ./mine -u; id -u; mount -t tmpfs x /tmp"
    outcome = sandboxed(script, workspace)
    before, after, *_ = said(outcome).split()
    assert before == after
    assert outcome.code != 0


_KEYS = "import ctypes; c = ctypes.CDLL(None, use_errno=True)\n"


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86_64")
@pytest.mark.parametrize("number", [248, 249, 250, 319, 29, 298, 321, 323, 425, 447])
def test_keyrings_and_uncounted_memory_are_not_there(number: int, workspace: Path) -> None:
    script = f"print(c.syscall({number}, 0, 0, 0, 0, 0), ctypes.get_errno())"
    assert python(_KEYS + script, workspace) == "-1 38"


def test_the_kernel_s_keys_are_not_listed(workspace: Path) -> None:
    assert sandboxed("cat /proc/keys", workspace).code != 0


def test_nothing_is_typed_into_a_terminal(workspace: Path) -> None:
    script = "import fcntl, os; fcntl.ioctl(os.openpty()[1], 0x5412, b'x')"
    assert "Operation not permitted" in python(script, workspace)
    assert sandboxed("echo x > /dev/tty", workspace).code != 0


def test_lent_folders_are_read_and_run_and_not_written(workspace: Path, tmp_path: Path) -> None:
    skill = tmp_path / "skill"
    skill.mkdir()
    (skill / "run.sh").write_text("echo of the skill; echo x > /skills/one/new")
    command = ["bash", "/skills/one/run.sh"]
    outcome = sandbox.run(command, workspace, Limits(), [Folder(skill, "/skills/one")])
    assert said(outcome).startswith("of the skill\n")
    assert outcome.code != 0
    assert [path.name for path in skill.iterdir()] == ["run.sh"]


def test_one_workspace_does_not_see_another(tmp_path: Path) -> None:
    sandboxed("echo secret > mine", tmp_path / "one")
    outcome = sandboxed(f"cat {tmp_path}/one/mine /workspace/../one/mine", tmp_path / "two")
    assert "secret" not in said(outcome)


def test_what_root_gives_away_never_lies_behind_a_link(workspace: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").touch()
    (workspace / "out").symlink_to(outside)
    sandboxed("true", workspace)
    assert {path.stat().st_uid for path in (outside, outside / "file")} == {os.getuid()}


def test_a_sandbox_that_does_not_start_says_so(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create a new namespace'; exit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(bubblewrap, "found", lambda: str(broken))
    with pytest.raises(ToolError, match="did not start: bwrap: No permissions"):
        sandboxed("true", workspace)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_server_that_is_no_root_has_the_same_sandbox() -> None:
    """In a process of its own, which is nobody in particular from then on."""
    with tempfile.TemporaryDirectory() as workspace:
        command = [sys.executable, "-c", _AS_NOBODY, workspace]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert done.stdout.split()[:2] == ["54321", "1"], done.stderr
    assert done.stdout.split()[2] in ("processes", "2"), done.stderr


_AS_NOBODY = """
import ctypes, os, sys
from pathlib import Path
from tools.workspace import sandbox, seccomp, watching
from tools.workspace.limits import Limits
workspace = Path(sys.argv[1])
os.chown(workspace, 54321, 54321)
seccomp.filter_of()
os.setgroups([])
os.setresgid(54321, 54321, 54321)
os.setresuid(54321, 54321, 54321)
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE: /proc shows it its own children
os.environ["PATH"] = "/usr/bin:/bin"
def run(script, **limits):
    return sandbox.run(["/bin/sh", "-c", script], workspace, Limits(**limits))
one = run("id -u; ls /etc/passwd")
print(one.output.decode().split()[0], one.code and 1)
bomb = run("f() { f | f & f; }; f; sleep 9", processes=32)
print(bomb.limit_name or bomb.code)
"""
