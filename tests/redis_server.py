"""A private Redis server for tests: killed, restarted and emptied as they like."""

import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import redis

from config.redis_binary import find

SECONDS = 5.0


class RedisServer:
    """A `redis-server` at `url`. Without persistence a restart brings it back empty; with
    `keeps` it has an append-only file, as the product's private one."""

    def __init__(self, url: str, *, keeps: bool = False) -> None:
        self.url = url
        self._keeps = keeps
        self.port = urlsplit(url).port or 6379
        self._folder = Path(tempfile.mkdtemp(prefix="roundtrip-redis-"))
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def start(self) -> None:
        """Start, and wait until it answers."""
        appends = "yes" if self._keeps else "no"
        options = ["--save", "", "--appendonly", appends, "--bind", "127.0.0.1"]
        self._process = subprocess.Popen(
            [find(), "--port", str(self.port), "--dir", str(self._folder), *options],
            stdout=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + SECONDS
        while not self._answers():
            if time.monotonic() > deadline:
                raise TimeoutError("redis-server does not answer")
            time.sleep(0.01)

    def kill(self) -> None:
        """As `kill -9`. What it held is gone, unless it keeps it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(SECONDS)
            self._process = None

    def restart(self) -> None:
        """Kill it and bring it back: empty, unless it keeps what it held."""
        self.kill()
        self.start()

    def restart_empty(self) -> None:
        """Kill it, remove what it keeps, and bring it back."""
        self.kill()
        shutil.rmtree(self._folder / "appendonlydir", ignore_errors=True)
        self.start()

    def ensure_up(self) -> None:
        if self._process is None or self._process.poll() is not None:
            self.start()

    def flush(self) -> None:
        with redis.Redis.from_url(self.url) as client:
            client.flushall()

    def follow(self, other: "RedisServer") -> None:
        """Becomes a replica of another server, and has all that it has."""
        with redis.Redis.from_url(other.url) as client:
            client.config_set("repl-diskless-sync-delay", 0)
        with redis.Redis.from_url(self.url) as client:
            client.replicaof("127.0.0.1", str(other.port))
            deadline = time.monotonic() + SECONDS
            while client.info("replication")["master_link_status"] != "up":
                if time.monotonic() > deadline:
                    raise TimeoutError("the replica does not follow")
                time.sleep(0.01)

    def promote(self) -> None:
        """The replica takes over."""
        with redis.Redis.from_url(self.url) as client:
            client.replicaof("NO", "ONE")

    def _answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.url, socket_timeout=1, retry=None) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False


@contextmanager
def cutting(port: int, connections: int = 4) -> Iterator[threading.Event]:
    """In Redis's place: accepts connections and resets each at once. The event is set when so many
    were."""
    enough = threading.Event()
    with socket.create_server(("127.0.0.1", port)) as listener:
        thread = threading.Thread(target=_cut, args=(listener, connections, enough), daemon=True)
        thread.start()
        try:
            yield enough
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(SECONDS)


def _cut(listener: socket.socket, connections: int, enough: threading.Event) -> None:
    count = 0
    with suppress(OSError):  # the listener was closed
        while True:
            accepted, _ = listener.accept()
            accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            accepted.close()
            count += 1
            if count >= connections:
                enough.set()
