"""Runs the whole product on a fresh home, as `make run` does, with users and models for a load."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.processes import tree
from host.processes import parent_death_signal
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[1]
START_TIMEOUT = 180.0
STOP_TIMEOUT = 20.0


class DidNotStart(RuntimeError):
    """The product ended, or was not ready in time; the message is the end of its output."""


@dataclass(frozen=True)
class Seeded:
    """A Cookie header per user, and the UUIDs of models by name."""

    cookies: list[str]
    models: dict[str, str]


class Product:
    """A product: its address, its home and its processes. `folder` has its code."""

    def __init__(
        self,
        home: Path,
        port: int,
        environment: Mapping[str, str] = os.environ,
        folder: Path = ROOT,
    ) -> None:
        self.folder = folder
        self.url = f"http://127.0.0.1:{port}"
        self.home = home
        self.output = home / "output.txt"
        self._environment = {**environment, "ROUNDTRIP_HOME": str(home), "PORT": str(port)}
        self._process: subprocess.Popen[bytes] | None = None
        self._runner: subprocess.Popen[str] | None = None

    @property
    def sign_in_link(self) -> str:
        """The owner's one-time link, printed at the first start."""
        return self.output.read_text().partition("Sign in: ")[2].split()[0]

    @property
    def pids(self) -> list[int]:
        """The supervisor and its descendants."""
        return tree(self._process.pid) if self._process else []

    def start(self) -> None:
        """Start, and wait until the sign-in message is printed. Raises DidNotStart."""
        command = [sys.executable, "-m", "config.supervisor"]
        with self.output.open("wb") as output:
            self._process = subprocess.Popen(
                command,
                cwd=self.folder,
                env=self._environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=parent_death_signal(),
            )
        deadline = time.monotonic() + START_TIMEOUT
        while b"Sign in:" not in self.output.read_bytes():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise DidNotStart(self.output.read_text(errors="replace")[-3000:])
            time.sleep(0.2)

    def seed(self, base_url: str, models: Sequence[str], users: int) -> Seeded:
        """Create the users, the provider at `base_url` and its models."""
        options = {"base_url": base_url, "models": list(models), "users": users}
        return Seeded(**self.run("benchmarks.seeding", options))

    def run(self, module: str, wanted: Any) -> Any:
        """Run a module in the product's settings: `wanted` is its input, a JSON value; returns its
        output, another one."""
        runner = self._module_runner()
        assert runner.stdin and runner.stdout
        runner.stdin.write(json.dumps({"module": module, "wanted": wanted}) + "\n")
        runner.stdin.flush()
        if not (line := runner.stdout.readline()):
            raise RuntimeError(f"{module} failed: see above")
        return json.loads(line)

    def _module_runner(self) -> subprocess.Popen[str]:
        """The process that runs all modules, since setting up Django takes a second."""
        if self._runner is None or self._runner.poll() is not None:
            self._runner = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.module_runner"],
                cwd=self.folder,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                preexec_fn=parent_death_signal(),
            )
        return self._runner

    def stop(self) -> None:
        """Stop as Ctrl-C does; after `STOP_TIMEOUT` seconds kill what still runs."""
        if self._runner:
            self._runner.kill()
            self._runner.communicate()
            self._runner = None
        if not self._process:
            return
        self._process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(STOP_TIMEOUT)
        # The process group, in case the supervisor left a process.
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


def begin_with(home: Path, database: Path | None) -> None:
    """Copy a migrated database into a new home, whose first start is seconds shorter then."""
    if database is not None:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.copyfile(database, home / "roundtrip.sqlite3")
        (home / "roundtrip.sqlite3").chmod(0o600)


@contextmanager
def running_product(
    environment: Mapping[str, str] = os.environ,
    database: Path | None = None,
    folder: Path = ROOT,
) -> Iterator[Product]:
    """The product in `folder` on a fresh home, which is deleted afterwards."""
    with TemporaryDirectory(prefix="roundtrip-", ignore_cleanup_errors=True) as home:
        begin_with(Path(home), database)
        product = Product(Path(home), free_port(), environment, folder)
        try:
            product.start()
            yield product
        finally:
            product.stop()
