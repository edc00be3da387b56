"""A private PostgreSQL server, from the machine's own binaries.

python -m tests.postgres COMMAND…     runs the command with DATABASE_URL set to it
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

from tests.ports import free_port

# In the environment of the command: the server is nobody else's and gone afterwards.
PRIVATE_SERVER = "ROUNDTRIP_PRIVATE_POSTGRES"
START_SECONDS = 30.0
STOP_SECONDS = 10.0
# It refuses to run as root.
SERVANTS = ("postgres", "nobody")
# Nothing has to survive a power cut.
OPTIONS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "300",
}


def binaries() -> Path | None:
    """The folder with `initdb` and `postgres`, of the newest version that is installed."""
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).parent
    found = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    versions = sorted(found, key=lambda file: float(file.parts[-3]))
    return versions[-1].parent if versions else None


class PostgresServer:
    """A server of one's own below a new folder, `url` its database: killed and started at will."""

    def __init__(self, parent: Path | None = None) -> None:
        folder = binaries()
        if folder is None:
            raise FileNotFoundError("No PostgreSQL server is installed: apt-get install postgresql")
        self._binaries = folder
        self.data = Path(tempfile.mkdtemp(prefix="roundtrip-postgres-", dir=parent))
        self.port = free_port()
        self.url = f"postgres://roundtrip@127.0.0.1:{self.port}/postgres"
        self._user: str | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self._user = _servant(self.data)
            _make(self._binaries, self.data, self._user)
            self.start()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.stop()
        finally:
            self._remove()

    def start(self) -> None:
        """Starts it, after a crash too, and waits until it answers."""
        command = [str(self._binaries / "postgres"), "-D", str(self.data), "-p", str(self.port)]
        for name, value in OPTIONS.items():
            command += ["-c", f"{name}={value}"]
        with (self.data / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                command,
                user=self._user,
                cwd=self.data,
                env=_environment(),
                stdout=log,
                stderr=log,
            )
        _wait_until_it_answers(self.url, self._process)

    def crash(self) -> None:
        """Ends it at once (SIGQUIT: immediate shutdown), so that the next start has to recover."""
        self._end(signal.SIGQUIT)

    def stop(self) -> None:
        self._end(signal.SIGINT)

    def ensure_up(self) -> None:
        if self._process is None or self._process.poll() is not None:
            self.start()

    def create_database(self) -> str:
        """The URL of a new, empty database of this server."""
        return create_database(self.url)

    def _end(self, number: int) -> None:
        if self._process is None:
            return
        self._process.send_signal(number)
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def _remove(self) -> None:
        shutil.rmtree(self.data, ignore_errors=True)


def create_database(url: str) -> str:
    """The URL of a new, empty database of the server at `url`."""
    name = f"product_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


@contextmanager
def server() -> Iterator[str]:
    """The URL of a server that lasts as long as the block."""
    with PostgresServer() as running:
        yield running.url


def _servant(data: Path) -> str | None:
    """The user to run as, who then owns `data`; None: as we are."""
    if os.geteuid() != 0:
        return None
    for name in SERVANTS:
        try:
            shutil.chown(data, user=name)
        except LookupError:
            continue
        return name
    raise LookupError("PostgreSQL does not run as root, and no other user was found")


def _make(folder: Path, data: Path, user: str | None) -> None:
    command = [str(folder / "initdb"), "-D", str(data), "-U", "roundtrip", "-A", "trust"]
    subprocess.run(
        [*command, "-E", "UTF8", "--locale=C", "--no-sync"],
        user=user,
        cwd=data,
        env=_environment(),
        stdout=subprocess.DEVNULL,
        check=True,
    )


def _environment() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"}


def _wait_until_it_answers(url: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            psycopg.connect(url, connect_timeout=2).close()
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return


def main(command: Sequence[str]) -> int:
    with server() as url:
        environment = {**os.environ, "DATABASE_URL": url, PRIVATE_SERVER: "1"}
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
