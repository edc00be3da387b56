"""A private PostgreSQL server, from the machine's own binaries.

python -m tests.postgres COMMAND…     runs the command with DATABASE_URL set to it
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg

from host.processes import parent_death_signal
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
    # Not in /dev/shm, where a killed server leaves it.
    "dynamic_shared_memory_type": "mmap",
}


def binaries() -> Path | None:
    """The folder with `initdb` and `postgres`, of the newest version that is installed."""
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).parent
    found = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    versions = sorted(found, key=lambda file: float(file.parts[-3]))
    return versions[-1].parent if versions else None


@contextmanager
def server() -> Iterator[str]:
    """The URL of a server that lasts as long as the block."""
    folder = binaries()
    if folder is None:
        raise FileNotFoundError("No PostgreSQL server is installed: apt-get install postgresql")
    data = Path(tempfile.mkdtemp(prefix="roundtrip-postgres-"))
    try:
        user = _servant(data)
        _make(folder, data, user)
        with _running(folder, data, user) as url:
            yield url
    finally:
        shutil.rmtree(data, ignore_errors=True)


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


@contextmanager
def _running(folder: Path, data: Path, user: str | None) -> Iterator[str]:
    port = free_port()
    url = f"postgres://roundtrip@127.0.0.1:{port}/postgres"
    command = [str(folder / "postgres"), "-D", str(data), "-p", str(port)]
    for name, value in OPTIONS.items():
        command += ["-c", f"{name}={value}"]
    with (data / "server.log").open("wb") as log:
        process = subprocess.Popen(
            command,
            user=user,
            cwd=data,
            env=_environment(),
            stdout=log,
            stderr=log,
            preexec_fn=parent_death_signal(),
        )
    try:
        _wait_until_it_answers(url, process)
        yield url
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


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
        return subprocess.run(
            command, env=environment, preexec_fn=parent_death_signal(), check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
