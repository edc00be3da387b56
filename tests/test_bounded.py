"""Nothing of a run is left, however it ends (`tests.bounded`)."""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from host.processes import parent_death_signal, stats
from tests import bounded, patience
from tests.supervision.instance import wait_until

pytestmark = pytest.mark.process
ROOT = Path(__file__).resolve().parent.parent
# What a test run may do: a folder with a socket, a mount, a process that ignores SIGTERM, and one
# in a session of its own.
PROGRAM = """
import signal, socket, subprocess, sys, tempfile
mark, mount = sys.argv[1:]
folder = tempfile.mkdtemp()
socket.socket(socket.AF_UNIX).bind(f"{folder}/socket")
if mount:
    subprocess.run([mount, "-t", "tmpfs", mark, folder], stderr=subprocess.DEVNULL)
subprocess.Popen(["/bin/sh", "-c", f"trap '' TERM INT; exec sleep {mark}1"])
subprocess.Popen(["sleep", f"{mark}2"], start_new_session=True)
print("begun", flush=True)
signal.pause()
"""
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); "


class Run:
    """A run of a command; `mark` is in its processes' arguments, and its folder in `place`."""

    def __init__(
        self,
        place: Path,
        *command: str,
        limit: str = "1m",
        path: str = "",
        parent: Sequence[str] = (),
        terminal: int | None = None,
        **variables: str,
    ) -> None:
        self.place = place
        self.mark = f"9{secrets.randbelow(10**8):08}"
        outside = {bounded.BOUNDED, "MAKELEVEL"}
        environment = {name: os.environ[name] for name in os.environ if name not in outside}
        if path:
            environment["PATH"] = path
        mount = "" if path else shutil.which("mount") or ""
        self.process = subprocess.Popen(
            [
                *parent,
                *(sys.executable, "-m", "tests.bounded", limit),
                *(command or (sys.executable, "-c", PROGRAM, self.mark, mount)),
            ],
            cwd=ROOT,
            env={**environment, "TMPDIR": str(place), **variables},
            stdin=terminal,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=_as_in_a_terminal(parent_death_signal()),
        )

    def begin(self) -> None:
        """Waits until the command has said that it has begun."""
        assert self.process.stdout
        assert self.process.stdout.readline()
        assert list(self.place.iterdir())

    def end(self) -> int:
        self.process.communicate(timeout=patience.SECONDS)
        return self.process.returncode

    def pids(self) -> list[int]:
        return [pid for pid in stats() if self.mark in command_line(pid)]

    def is_gone(self) -> bool:
        mounts = Path("/proc/self/mountinfo").read_text()
        return not self.pids() and not list(self.place.iterdir()) and self.mark not in mounts


def _as_in_a_terminal(tie: Callable[[], None] | None) -> Callable[[], None]:
    """Behind `nohup` and a shell's `&` SIGINT is ignored, and what is ignored is inherited."""

    def before_exec() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if tie:
            tie()

    return before_exec


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""


@pytest.fixture
def place() -> Iterator[Path]:
    """With a short name, as it has to be for sockets."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.fixture(params=["namespaces", "none"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """For PATH: without `unshare` a run is as where namespaces are refused."""
    if request.param == "none":
        (tmp_path / "sleep").symlink_to(shutil.which("sleep") or "")
        return str(tmp_path)
    if not bounded.namespaces():
        pytest.skip("namespaces are refused here")
    return ""


def test_sigterm_ends_all_of_a_run(place: Path, path: str) -> None:
    run = Run(place, path=path)
    run.begin()
    assert len(run.pids()) >= 4
    run.process.terminate()
    assert run.end() == 128 + signal.SIGTERM
    assert run.is_gone()


def test_kill_9_of_the_wrapper_ends_all_of_a_run(place: Path, path: str) -> None:
    run = Run(place, path=path)
    run.begin()
    run.process.kill()
    run.end()
    wait_until(run.is_gone)


def test_the_limit_ends_all_of_a_run(place: Path, path: str) -> None:
    run = Run(place, path=path, limit="0.6s")
    assert run.end() == bounded.EXPIRED
    assert run.is_gone()


def test_kill_9_of_make_ends_all_of_a_run_that_it_started(place: Path, path: str) -> None:
    make = ("/bin/sh", "-c", '"$@"; :', "make")
    run = Run(place, path=path, parent=make, MAKELEVEL="1")
    run.begin()
    run.process.kill()
    run.end()
    wait_until(run.is_gone)


def test_what_goes_on_behind_a_command_that_is_over_is_ended(place: Path, path: str) -> None:
    run = Run(place, "/bin/sh", "-c", "sleep 1000 & mkdir $TMPDIR/some; exit 7", path=path)
    assert run.end() == 7
    assert run.is_gone()


def test_a_second_sigterm_ends_a_command_that_ignores_the_first(place: Path, path: str) -> None:
    run = Run(place, sys.executable, "-c", f"{STUBBORN} signal.pause(); signal.pause()", path=path)
    run.begin()
    run.process.terminate()
    with pytest.raises(subprocess.TimeoutExpired):
        run.process.wait(0.2)
    run.process.terminate()
    assert run.end() == bounded.KILLED
    assert run.is_gone()


def test_ctrl_c_is_the_commands_own_matter(place: Path, path: str) -> None:
    """The terminal tells it to all processes, and the command's own status counts."""
    keyboard, terminal = os.openpty()
    program = """if True:
        import sys, time
        try:
            print(1, flush=True)
            time.sleep(99)
        except KeyboardInterrupt:
            sys.exit(9)"""
    command = (sys.executable, "-c", program)
    leader = (shutil.which("setsid") or "", "--ctty")
    run = Run(place, *command, path=path, parent=leader, terminal=terminal)
    run.begin()
    os.write(keyboard, b"\x03")
    assert run.end() == 9
    assert run.is_gone()
    os.close(keyboard)
    os.close(terminal)


def test_a_run_inside_of_a_run_is_the_command_itself(place: Path) -> None:
    command = [sys.executable, "-m", "tests.bounded", "1m", "sh", "-c", "echo $TMPDIR $PPID"]
    inside = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, bounded.BOUNDED: "1", "TMPDIR": "outer"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert inside.stdout.split() == ["outer", str(os.getpid())]


def test_a_folder_whose_run_was_killed_with_its_remover_goes_with_the_next_run(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    an_hour_ago = time.time() - 3600
    (stale := place / f"{bounded.PREFIX}stale").mkdir()
    (young := place / f"{bounded.PREFIX}young").mkdir()
    (other := place / "other").mkdir()
    for folder in (stale, other):
        os.utime(folder, (an_hour_ago, an_hour_ago))
    bounded.remove_stale_folders()
    assert (stale.exists(), young.exists(), other.exists()) == (False, True, True)
    folder, lock = bounded.private_folder()
    os.utime(folder, (an_hour_ago, an_hour_ago))
    bounded.remove_stale_folders()
    assert folder.exists()
    os.close(lock)


def test_too_little_disk_or_memory_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    assert bounded.shortage() == ""
    monkeypatch.setattr(bounded, "MIN_MEMORY_BYTES", 10**18)
    assert "memory are available; the tests need 1e+09 GB: end other programs" in bounded.shortage()
    monkeypatch.setattr(bounded, "MIN_DISK_BYTES", 10**18)
    assert "GB are free on the disk of" in bounded.shortage()


@pytest.mark.parametrize(
    ("files", "gigabytes"),
    [
        ({}, 8),
        ({"memory.max": "max", "memory.current": "1", "memory.stat": "inactive_file 0"}, 8),
        ({"memory.max": "4e9", "memory.current": "3e9", "memory.stat": "inactive_file 2e9"}, 3),
        (
            {
                "memory/memory.limit_in_bytes": "4e9",
                "memory/memory.usage_in_bytes": "3e9",
                "memory/memory.stat": "total_inactive_file 1e9",
            },
            2,
        ),
    ],
)
def test_a_containers_limit_bounds_the_available_memory(
    tmp_path: Path, files: dict[str, str], gigabytes: int
) -> None:
    texts = {f"sys/fs/cgroup/{name}": text for name, text in files.items()}
    texts["proc/meminfo"] = "MemTotal: 9 kB\nMemAvailable: 7812500 kB\n"
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        for number in (4, 3, 2, 1):
            text = text.replace(f"{number}e9", f"{number * 10**9}")
        (tmp_path / name).write_text(text)
    assert bounded.available_memory(tmp_path) == gigabytes * 10**9
