"""A private Redis server for tests: killed, restarted and emptied as they like."""

import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import redis

from config.redis_binary import find
from host.processes import parent_death_signal
from tests import patience


class RedisServer:
    """A `redis-server` at `url`, without persistence: a restart brings it back empty."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.port = urlsplit(url).port or 6379
        self._folder = Path(tempfile.mkdtemp(prefix="roundtrip-redis-"))
        self._process: subprocess.Popen[bytes] | None = None
        # The server ends with the thread that started it, so with none that a test ends.
        self._starter = ThreadPoolExecutor(1)

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
        self._starter.shutdown()
        shutil.rmtree(self._folder, ignore_errors=True)

    def start(self) -> None:
        """Start, and wait until it answers."""
        self._process = self._starter.submit(self._open).result()
        deadline = time.monotonic() + patience.SECONDS
        while not self._answers():
            if time.monotonic() > deadline:
                raise TimeoutError("redis-server does not answer")
            time.sleep(0.01)

    def _open(self) -> subprocess.Popen[bytes]:
        options = ["--save", "", "--appendonly", "no", "--bind", "127.0.0.1"]
        return subprocess.Popen(
            [find(), "--port", str(self.port), "--dir", str(self._folder), *options],
            stdout=subprocess.DEVNULL,
            preexec_fn=parent_death_signal(),
        )

    def kill(self) -> None:
        """As `kill -9`. What it held is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(patience.SECONDS)
            self._process = None

    def restart(self) -> None:
        """Kill it and bring it back, empty."""
        self.kill()
        self.start()

    def ensure_up(self) -> None:
        if self._process is None or self._process.poll() is not None:
            self.start()

    def flush(self) -> None:
        with redis.Redis.from_url(self.url) as client:
            client.flushall()

    def reset(self) -> None:
        """What a restart does: nobody is connected, and nothing is stored."""
        if self._process is None:  # a test has killed it
            return
        with redis.Redis.from_url(self.url) as client:
            for kind in ("normal", "pubsub"):
                client.execute_command("CLIENT", "KILL", "TYPE", kind, "SKIPME", "yes")
            client.flushall()
            client.script_flush()

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
            thread.join(patience.SECONDS)


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
