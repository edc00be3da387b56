"""The product as `make run` starts it, on a short-lived home, with a Redis of the test's."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import urlopen

import redis

from benchmarks.product import begin_with
from benchmarks.stub import StubProcess, stub_process
from host.processes import parent_death_signal
from tests.environment import clean_environment
from tests.ports import free_port
from tests.redis_server import RedisServer

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 30.0
# A start computes for ten seconds, on a machine that may have other work.
START_SECONDS = 120.0
PAUSE = 0.02


def wait_for(condition: Callable[[], Any], seconds: float = SECONDS) -> Any:
    """What the condition answers as soon as that is true; raises TimeoutError."""
    deadline = time.monotonic() + seconds
    while not (answer := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds:g} s")
        time.sleep(PAUSE)
    return answer


class Product:
    """The processes, by name: supervisor, web, turns, tools, redis."""

    def __init__(self, home: Path, server: RedisServer, stub: StubProcess) -> None:
        self.home = home
        self.redis = server
        self.stub = stub
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.cookies: dict[str, str] = {}
        self.models: dict[str, str] = {}
        self.environment = {
            **clean_environment(),
            "ROUNDTRIP_HOME": str(home),
            "PORT": str(self.port),
            "REDIS_URL": server.url,
        }
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def output(self) -> str:
        return (self.home / "output.txt").read_text(errors="replace")

    def start(self) -> None:
        """Starts it, and waits until all of it is ready."""
        self.launch()
        wait_for(self._is_ready, START_SECONDS)

    def launch(self) -> None:
        with (self.home / "output.txt").open("wb") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "config.supervisor"],
                cwd=ROOT,
                env=self.environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=parent_death_signal(),
            )

    def _is_ready(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self.output
        return "Sign in:" in self.output

    def seed(self, models: Sequence[str]) -> None:
        """Makes users with a session, models and servers."""
        wanted = {"base_url": self.stub.base_url, "models": models, "folder": str(self.home)}
        done = subprocess.run(
            [sys.executable, "-m", "tests.faults.seeding"],
            cwd=ROOT,
            env=self.environment,
            input=json.dumps(wanted),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        seeded = json.loads(done.stdout)
        self.cookies, self.models = seeded["cookies"], seeded["models"]

    def pid(self, name: str) -> int:
        with suppress(OSError, ValueError):
            return int(json.loads((self.home / "run" / f"{name}.json").read_text())["pid"])
        return 0

    def kill(self, name: str) -> float:
        """`kill -9`; answers when. The supervisor starts it again."""
        pid = wait_for(lambda: self.pid(name))
        os.kill(pid, signal.SIGKILL)
        killed = time.monotonic()
        wait_for(lambda: self.pid(name) not in (pid, 0))
        return killed

    def make_whole(self) -> None:
        """Starts Redis if it is gone; waits until the web process answers and both workers listen
        to their queues."""
        self.redis.ensure_up()
        wait_for(self.answers)
        with redis.Redis.from_url(self.redis.url) as client:
            wait_for(lambda: _listening(client) == 2)

    def answers(self) -> bool:
        try:
            with urlopen(f"{self.url}/health", timeout=5) as response:
                return bool(response.status == 200)
        except OSError:
            return False

    def stop(self) -> None:
        """SIGTERM of the supervisor, and the wait for its end."""
        if self._process is None:
            return
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(SECONDS)
        # Its session's group, in case it left someone behind.
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process = None

    def written(self, server: str) -> list[str]:
        """The lines that this server's tool has written: its side effects."""
        file = self.home / f"{server}.txt"
        return file.read_text().splitlines() if file.exists() else []


def _listening(client: "redis.Redis") -> int:
    """How many workers wait for a ring."""
    return sum(row["cmd"] == "brpop" for row in client.client_list())


@contextmanager
def running_product(
    models: Sequence[str], database: Path | None = None, **variables: str
) -> Iterator[Product]:
    """A running product that has these models of a stub's and these environment variables, and all
    that it needs."""
    url = f"redis://127.0.0.1:{free_port()}/0"
    with (
        TemporaryDirectory(prefix="roundtrip-fault-", ignore_cleanup_errors=True) as home,
        RedisServer(url) as server,
        stub_process() as stub,
    ):
        begin_with(Path(home), database)
        product = Product(Path(home), server, stub)
        product.environment |= variables
        try:
            product.start()
            product.seed(models)
            yield product
        finally:
            product.stop()
