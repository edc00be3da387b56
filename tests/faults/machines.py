"""An installation of several machines: each process has a home of its own, and nothing is common
but PostgreSQL, Redis and, if it is wanted, object storage."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import psycopg

from benchmarks.stub import StubProcess, stub_process
from tests.environment import clean_environment
from tests.faults.product import ROOT, SECONDS, wait_for
from tests.ports import free_port
from tests.postgres import server as postgres_server
from tests.redis_server import RedisServer

MODEL = "stub-ask-n5"
WEB, TURNS = "web", "turns"
TOOLS = ("east", "west")
COMMANDS = {
    WEB: ("config.web",),
    TURNS: ("config.work", "turns", "20"),
    **dict.fromkeys(TOOLS, ("config.work", "tools", "8")),
}


class Machines:
    """The processes by the name of their machine: web, turns, and two with `tools` workers."""

    def __init__(self, folder: Path, database: str, redis: RedisServer, stub: StubProcess) -> None:
        self.folder, self.database, self.redis, self.stub = folder, database, redis, stub
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.variables: dict[str, str] = {}
        self.cookies: dict[str, str] = {}
        self.model = ""
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def home(self, name: str) -> Path:
        return self.folder / name

    def environment(self, name: str) -> dict[str, str]:
        return {
            **clean_environment(),
            "DATABASE_URL": self.database,
            "REDIS_URL": self.redis.url,
            "PORT": str(self.port),
            "INTERNAL_URL": self.url,
            "ROUNDTRIP_HOME": str(self.home(name)),
            "MACHINE_NAME": name,
            **self.variables,
        }

    def prepare(self) -> None:
        """Tables, first data, users and models; the keys of the first machine on all of them."""
        self.home(WEB).mkdir()
        self._run(WEB, "config.prepare")
        wanted = {"base_url": self.stub.base_url, "model": MODEL}
        seeded = json.loads(self._run(WEB, "tests.faults.machines_seeding", json.dumps(wanted)))
        self.cookies, self.model = seeded["cookies"], seeded["model"]
        for name in COMMANDS:
            if name != WEB:
                shutil.copytree(self.home(WEB) / "keys", self.home(name) / "keys")

    def _run(self, name: str, module: str, entered: str = "") -> str:
        done = subprocess.run(
            [sys.executable, "-m", module],
            cwd=ROOT,
            env=self.environment(name),
            input=entered,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return done.stdout

    def start_all(self, **variables: str) -> None:
        """All processes with these variables: anew if they have others; waits until they answer."""
        if variables != self.variables:
            self.stop_all()
        self.variables = variables
        for name in COMMANDS:
            if name not in self._running:
                self.start(name)
        wait_for(self._answers)
        for name in TOOLS:
            wait_for(partial(self.is_present, name))

    def start(self, name: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(
                [sys.executable, "-m", *COMMANDS[name]],
                cwd=ROOT,
                env=self.environment(name),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self, name: str) -> None:
        """`kill -9` of the process and of those that it began."""
        process = self._running.pop(name)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self, name: str) -> None:
        """SIGTERM, and the wait for the end."""
        process = self._running[name]
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(SECONDS)
        self.kill(name)

    def stop_all(self) -> None:
        for process in self._running.values():
            process.terminate()
        for name in list(self._running):
            self.stop(name)

    def _answers(self) -> bool:
        try:
            with urlopen(f"{self.url}/health", timeout=5) as response:
                return bool(response.status == 200)
        except OSError:
            return False

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.database) as connection:
            return connection.execute(query, values).fetchall()

    def is_present(self, name: str) -> bool:
        query = (
            "SELECT 1 FROM chat_toolsmachine"
            " WHERE name = %s AND NOT leaving AND seen > now() - interval '3 seconds'"
        )
        return bool(self.rows(query, name))

    def place(self, conversation: str) -> str:
        """The machine that has the files of this conversation."""
        query = (
            "SELECT p.machine FROM chat_workspaceplace p"
            " JOIN chat_conversation c ON c.id = p.conversation_id WHERE c.public_id = %s"
        )
        return str(self.rows(query, conversation)[0][0])

    def results(self, key: str) -> list[str]:
        """What the tools answered in a turn."""
        query = (
            "SELECT m.body FROM chat_message m JOIN chat_turn t ON t.id = m.turn_id"
            " WHERE t.client_key = %s AND m.role = 'tool' ORDER BY m.id"
        )
        bodies = [row[0] for row in self.rows(query, key)]
        return [
            str((json.loads(body) if isinstance(body, str) else body)["content"]) for body in bodies
        ]

    def get(self, path: str, user: str = "owner") -> tuple[int, bytes]:
        request = Request(f"{self.url}{path}", headers={"Cookie": self.cookies[user]})
        return _answer(request)

    def upload(self, conversation: str, name: str, content: bytes) -> int:
        """Uploads as the page does; the status."""
        boundary = "boundary-of-the-form"
        token = "a" * 32
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        body = head.encode() + b"\r\n" + content + f"\r\n--{boundary}--\r\n".encode()
        request = Request(f"{self.url}/c/{conversation}/files/upload", data=body)
        cookie = f"{self.cookies['owner']}; roundtrip_csrf_{self.port}={token}"
        request.add_header("Cookie", cookie)
        request.add_header("X-CSRFToken", token)
        request.add_header("Origin", self.url)
        request.add_header("Content-Type", f"multipart/form-data; boundary={boundary}")
        return _answer(request)[0]


def _answer(request: Request) -> tuple[int, bytes]:
    try:
        with urlopen(request, timeout=SECONDS) as response:
            return response.status, response.read()
    except HTTPError as error:
        return error.code, error.read()


@contextmanager
def prepared_machines() -> Iterator[Machines]:
    with ExitStack() as stack:
        place = TemporaryDirectory(prefix="roundtrip-machines-", ignore_cleanup_errors=True)
        folder = Path(stack.enter_context(place))
        database = stack.enter_context(postgres_server())
        redis = stack.enter_context(RedisServer(f"redis://127.0.0.1:{free_port()}/0"))
        machines = Machines(folder, database, redis, stack.enter_context(stub_process()))
        machines.prepare()
        try:
            yield machines
        finally:
            machines.stop_all()


@contextmanager
def object_storage() -> Iterator[dict[str, str]]:
    """A server with the S3 interface, and the variables with which it is used."""
    port = free_port()
    variables = {
        "WORKSPACES": "s3://workspaces/tests",
        "AWS_ENDPOINT_URL_S3": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "tests",
        "AWS_SECRET_ACCESS_KEY": "secret-of-the-tests",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        make_bucket(variables)
        yield variables
    finally:
        process.kill()
        process.wait()


def make_bucket(variables: dict[str, str]) -> None:
    """As soon as the storage answers."""
    url = f"{variables['AWS_ENDPOINT_URL_S3']}/workspaces"

    def is_made() -> bool:
        try:
            with urlopen(Request(url, method="PUT"), timeout=5) as response:
                return bool(response.status == 200)
        except OSError:
            time.sleep(0.1)
            return False

    wait_for(is_made)
