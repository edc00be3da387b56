"""The programs of stdio servers: started, stopped, and never left behind, whatever ends us.

Three nets: the end of the pipe tells a well-behaved server to go; `setpriv --pdeathsig` has the
kernel kill the program with its parent; and a file for each process group lets the next start find
the grandchildren that are left.
"""

import asyncio
import contextlib
import logging
import os
import shutil
import signal
from asyncio.subprocess import PIPE, Process
from dataclasses import dataclass
from pathlib import Path

from host.processes import PARENT, SESSION, START_TIME, boot_id, start_time, stats
from languages.stored import stored
from limits.mcp import MAX_STOP_GRACE_S
from tools.errors import ConnectionFailed, Failure, FailureKind
from tools.mcp.sdk import get_default_environment
from tools.values.server_config import ServerConfig

logger = logging.getLogger(__name__)

SETPRIV = shutil.which("setpriv")
PLACE = ("LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR")
CERTIFICATES = (
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
)  # fmt: skip
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


def inherited() -> dict[str, str]:
    """What every program may have of our environment: the SDK's short list (PATH, HOME, …), the
    language, and how to get out of this network. A proxy with a password in it is a secret."""
    variables = {name: os.environ[name] for name in (*PLACE, *CERTIFICATES) if name in os.environ}
    for name in PROXIES:
        for spelled in (name, name.upper()):
            if (proxy := os.environ.get(spelled)) and "@" not in proxy:
                variables[spelled] = proxy
    return get_default_environment() | variables


async def start(config: ServerConfig, limit: int) -> Process:
    """The program of `config` in a session of its own.

    Its environment is what `inherited` gives, and what was configured. Raises `ConnectionFailed`.
    """
    env = inherited() | dict(config.env)
    if shutil.which(config.command, path=env.get("PATH")) is None:
        raise ConnectionFailed.of(_no_program(config))
    if config.cwd and not Path(config.cwd).is_dir():
        raise ConnectionFailed(
            stored("the working directory %(cwd)s does not exist", cwd=repr(config.cwd)),
            FailureKind.NO_WORKING_DIRECTORY,
        )
    command = [config.command, *config.args]
    # The kernel sends the signal when the thread that forked ends: our loop's, with the process.
    tied = [SETPRIV, "--pdeathsig", "KILL", "--", *command] if SETPRIV else command
    try:
        return await asyncio.create_subprocess_exec(
            *tied,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=env,
            cwd=config.cwd or None,
            start_new_session=True,
            limit=limit,
        )
    except (OSError, ValueError) as error:
        raise ConnectionFailed(
            stored("the command could not be started: %(error)s", error=error)
        ) from error


def _no_program(config: ServerConfig) -> Failure:
    """Why the command of `config` names no program."""
    command, path = stored("the command %(command)s", command=repr(config.command)), None
    if "/" in config.command:
        path = Path(config.cwd, config.command)
    if path is None or not path.exists():
        return Failure(
            stored("%(command)s was not found", command=command), FailureKind.COMMAND_NOT_FOUND
        )
    if path.is_dir():
        return Failure(
            stored("%(command)s is a folder", command=command), FailureKind.COMMAND_IS_FOLDER
        )
    return Failure(
        stored("%(command)s is not executable", command=command), FailureKind.COMMAND_NOT_EXECUTABLE
    )


async def stop(process: Process) -> None:
    """Close its stdin, then SIGTERM, then SIGKILL to the whole group, `MAX_STOP_GRACE_S` apart.

    What it started outside of its group goes with it; that of a program which ended by itself is
    not known any more.
    """
    family = _descendants(process.pid)
    try:
        await _stop(process)
    finally:
        for pid, started in family.items():
            if start_time(pid) == started:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)


async def _stop(process: Process) -> None:
    assert process.stdin is not None
    with contextlib.suppress(OSError, RuntimeError):
        process.stdin.close()
    for number in (None, signal.SIGTERM, signal.SIGKILL):
        if number is not None and process.returncode is None:
            kill_group(process.pid, number)
        with contextlib.suppress(TimeoutError):
            return await asyncio.wait_for(gone(process), MAX_STOP_GRACE_S)
    logger.warning("process %d of an MCP server survives SIGKILL", process.pid)


async def gone(process: Process, look_every_s: float = 0.01) -> None:
    """Wait for the program's end. `process.wait()` would wait for its pipes too, which a
    grandchild may hold open."""
    while process.returncode is None:
        await asyncio.sleep(look_every_s)


def ending(code: int | None) -> Failure | None:
    """How a program ended, by its exit code; None while it runs."""
    if code is None:
        return None
    if code >= 0:
        return Failure(stored("exited with code %(code)s", code=code), FailureKind.EXITED, code)
    names = {number.value: number.name for number in signal.Signals}
    return Failure(
        stored("was killed by %(code)s", code=names.get(-code, f"signal {-code}")),
        FailureKind.KILLED,
    )


def kill_group(pid: int, number: int = signal.SIGKILL) -> None:
    """Signal the whole process group that `pid` leads, or led."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


@dataclass(frozen=True)
class Ledger:
    """A folder with a file for each program: its pid and start, ours, and the boot."""

    folder: Path

    def enter(self, pid: int) -> Path:
        """The new entry; whoever stops the program removes it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        owner = os.getpid()
        entry = self.folder / str(pid)
        entry.write_text(f"{pid} {start_time(pid)} {owner} {start_time(owner)} {boot_id()}")
        return entry

    def sweep(self) -> list[int]:
        """Kill the groups whose owner is gone; their leaders' pids."""
        swept = []
        for entry in self.folder.glob("[0-9]*"):
            words = entry.read_text().split()
            if len(words) == 5 and words[4] == boot_id():
                pid, started, owner, owner_started, _ = words
                if start_time(int(owner)) == owner_started:
                    continue
                if _is_left(int(pid), started):
                    kill_group(int(pid))
                    swept.append(int(pid))
            entry.unlink(missing_ok=True)
        return swept


def _is_left(leader: int, started: str) -> bool:
    """Whether the leader, or a member of its session after it, is still there.

    A pid is not given out again while a session has that id, so members without their leader are
    the ones that it left.
    """
    now = start_time(leader)
    return now == started or (not now and leader in _sessions())


def _sessions() -> set[int]:
    return {int(fields[SESSION]) for fields in stats().values()}


def _descendants(pid: int) -> dict[int, str]:
    """The children of `pid`, and theirs: when each started, by its pid."""
    known = stats()
    children: dict[int, list[int]] = {}
    for child, fields in known.items():
        children.setdefault(int(fields[PARENT]), []).append(child)
    family, waiting = dict[int, str](), [pid]
    while waiting:
        of = children.pop(waiting.pop(), [])
        family |= {child: known[child][START_TIME] for child in of}
        waiting += of
    return family
