"""The worker processes that run: each writes a key to Redis with every beat, which expires.

Keys: `rt:worker:<queue>:<host>:<pid>`, a JSON object, for `MAX_WORKER_SILENCE_S`.
"""

import json
import os
import socket
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass

import redis

from limits.traces import MAX_WORKER_SILENCE_S

PREFIX = "rt:worker:"


@dataclass(frozen=True)
class Worker:
    """`busy` of its `threads` are at work; `at`: the time of the report, in seconds since 1970."""

    queue: str
    host: str
    pid: int
    threads: int
    busy: int
    at: float

    @property
    def key(self) -> str:
        return f"{PREFIX}{self.queue}:{self.host}:{self.pid}"


def this_process(queue: str, threads: int, busy: int) -> Worker:
    return Worker(queue, socket.gethostname(), os.getpid(), threads, busy, time.time())


def announce(client: "redis.Redis", worker: Worker) -> None:
    """Raises redis.RedisError."""
    client.set(worker.key, json.dumps(asdict(worker)), ex=MAX_WORKER_SILENCE_S)


def workers(client: "redis.Redis") -> list[Worker]:
    """By queue, host and pid. Raises redis.RedisError."""
    keys = list(client.scan_iter(f"{PREFIX}*", count=1000))
    return sorted(_read(client.mget(keys)), key=lambda worker: worker.key) if keys else []


def _read(values: Iterable[bytes | str | None]) -> Iterable[Worker]:
    for value in values:
        if value is None:  # expired since the scan
            continue
        try:
            yield Worker(**json.loads(value))
        except (ValueError, TypeError):
            continue  # of another version
