"""Processes with a home of their own each, configured by their environment alone."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

from benchmarks.product import begin_with
from benchmarks.stub import StubProcess, stub_process
from tests.environment import clean_environment
from tests.faults.product import wait_for
from tests.ports import free_port
from tests.redis_server import RedisServer

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 30.0
COMMANDS = {
    "web": ["-m", "config.web"],
    "turns": ["-m", "config.work", "turns", "50"],
    "tools": ["-m", "config.work", "tools", "20"],
}


class Machine:
    """One process. Its output is in `output`; probes are answered at `health`."""

    def __init__(
        self, name: str, command: Sequence[str], environment: dict[str, str], folder: Path = ROOT
    ) -> None:
        self.name = name
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._command = command
        self._folder = folder
        self._home = Path(environment["ROUNDTRIP_HOME"])
        self._environment = {**environment, "HEALTH_PORT": str(self.port), "PORT": str(self.port)}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def output(self) -> str:
        return (self._home / "output.txt").read_text(errors="replace")

    def start(self) -> None:
        self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self._home / "output.txt").open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, *self._command],
                cwd=self._folder,
                env=self._environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait_until_ready(self) -> None:
        wait_for(self._is_ready, 2 * SECONDS)

    def health(self, path: str = "ready") -> dict[str, Any]:
        """What the probe answers; {} if nobody does."""
        try:
            with urlopen(f"{self.url}/health/{path}", timeout=5) as answer:
                return dict(json.load(answer))
        except HTTPError as refused:
            return dict(json.load(refused))
        except OSError:
            return {}

    def signal(self, number: int) -> float:
        """Sends the signal; answers when."""
        assert self._process is not None
        self._process.send_signal(number)
        return time.monotonic()

    def wait_for_end(self, seconds: float = SECONDS) -> int:
        assert self._process is not None
        return self._process.wait(seconds)

    def run(self) -> subprocess.CompletedProcess[str]:
        """Runs it to its end."""
        self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
        return subprocess.run(
            [sys.executable, *self._command],
            cwd=self._folder,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=4 * SECONDS,
            check=False,
        )

    def end(self) -> None:
        if self._process is None or self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def _is_ready(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self.output
        return bool(self.health().get("ready"))


class Machines:
    """Machines on one database and one Redis. `folder` of a machine has its code."""

    def __init__(self, folder: Path, database_url: str, redis_url: str) -> None:
        self.folder = folder
        self.environment = {
            **clean_environment(),
            "DATABASE_URL": database_url,
            "REDIS_URL": redis_url,
            "DATABASE_WAIT_SECONDS": "1",
            # A balancer's, which makes one site of several web processes.
            "ROUNDTRIP_URL": "http://chat.example",
            "ROUNDTRIP_SECRET_KEY": secrets.token_urlsafe(48),
            "ROUNDTRIP_ENCRYPTION_KEY": secrets.token_urlsafe(32),
        }
        self.cookies: dict[str, str] = {}
        self.models: dict[str, str] = {}
        self._machines: list[Machine] = []

    def machine(
        self,
        name: str,
        variables: Mapping[str, str] = MappingProxyType({}),
        command: Sequence[str] = (),
        folder: Path = ROOT,
    ) -> Machine:
        """A machine that is not started yet; `command` is by default that of its name."""
        home = self.folder / f"{name}-{len(self._machines)}"
        environment = {**self.environment, "ROUNDTRIP_HOME": str(home), **variables}
        made = Machine(name, command or COMMANDS[name], environment, folder)
        self._machines.append(made)
        return made

    def start(self, *names: str) -> list[Machine]:
        """Starts machines of these names side by side, and waits until they are ready."""
        machines = [self.machine(name) for name in names]
        for machine in machines:
            machine.start()
        for machine in machines:
            machine.wait_until_ready()
        return machines

    def prepare(
        self, variables: Mapping[str, str] = MappingProxyType({})
    ) -> subprocess.CompletedProcess[str]:
        return self.machine("prepare", variables, ["-m", "config.prepare"]).run()

    def seed(self, stub: StubProcess, models: Sequence[str]) -> None:
        """Makes users with a session, models and servers."""
        home = self.folder / "seeding"
        home.mkdir(exist_ok=True)
        wanted = {"base_url": stub.base_url, "models": models, "folder": str(self.folder)}
        done = subprocess.run(
            [sys.executable, "-m", "tests.faults.seeding"],
            cwd=ROOT,
            env={**self.environment, "ROUNDTRIP_HOME": str(home)},
            input=json.dumps(wanted),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        seeded = json.loads(done.stdout)
        self.cookies, self.models = seeded["cookies"], seeded["models"]

    def end(self) -> None:
        for machine in reversed(self._machines):
            machine.end()


@contextmanager
def machines_on(database_url: str, redis_url: str) -> Iterator[Machines]:
    """Machines that end with the block."""
    with TemporaryDirectory(prefix="roundtrip-machines-", ignore_cleanup_errors=True) as folder:
        machines = Machines(Path(folder), database_url, redis_url)
        try:
            yield machines
        finally:
            machines.end()


@contextmanager
def prepared_machines(
    migrated: Path | None, models: Sequence[str], redis_url: str = ""
) -> Iterator[tuple[Machines, StubProcess]]:
    """Machines on a SQLite file that they share, with models of a stub; by default with a Redis of
    their own."""
    port = free_port()
    with (
        TemporaryDirectory(prefix="roundtrip-shared-") as shared,
        RedisServer(f"redis://127.0.0.1:{port}/0") as server,
        stub_process() as stub,
    ):
        begin_with(Path(shared), migrated)
        url = f"sqlite:///{shared}/roundtrip.sqlite3"
        with machines_on(url, redis_url or server.url) as machines:
            machines.prepare().check_returncode()
            machines.seed(stub, models)
            yield machines, stub


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
