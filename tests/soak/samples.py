"""What the product holds, as one row of figures every five seconds.

Of each process (supervisor, web, turns, tools, redis, and the rest as `children`): megabytes of
PSS, open descriptors, threads. Of all: processes; of Redis: megabytes, keys and clients; of the
database: megabytes of its write-ahead log, and kilobytes for each turn that was made.
"""

import csv
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import redis

from benchmarks import processes
from tests.faults.ledger import Ledger
from tests.faults.product import Product

SECONDS = 5.0
ROLES = ("supervisor", "web", "turns", "tools", "children")
Row = dict[str, float]


class Sampler(threading.Thread):
    """Samples until it is told to stop; `rows` are what it has."""

    def __init__(self, product: Product, seconds: float = SECONDS) -> None:
        super().__init__(daemon=True)
        self.rows: list[Row] = []
        self._product = product
        self._seconds = seconds
        self._ledger = Ledger(product.home, product.database)
        self._over = threading.Event()
        self._began = time.monotonic()

    def run(self) -> None:
        while not self._over.wait(self._seconds):
            self.rows.append(self._sample())

    def stop(self) -> None:
        self._over.set()
        self.join()

    def _sample(self) -> Row:
        row: Row = {"minutes": (time.monotonic() - self._began) / 60}
        row |= _of_processes(self._product.pids())
        row |= self._of_redis()
        return row | self._of_database()

    def _of_redis(self) -> Row:
        with redis.Redis.from_url(self._product.redis.url) as client:
            info = client.info()
            return {
                "redis_mb": info["used_memory"] / 1e6,
                "redis_keys": float(client.dbsize()),
                "redis_clients": float(info["connected_clients"]),
            }

    def _of_database(self) -> Row:
        ((turns,),) = self._ledger.rows("SELECT COUNT(*) FROM chat_turn")
        if self._ledger.url:
            ((size,),) = self._ledger.rows("SELECT pg_database_size(current_database())")
            return {"turns": turns, "database_mb": size / 1e6}
        wal = self._ledger.file.with_name(self._ledger.file.name + "-wal")
        size = self._ledger.file.stat().st_size
        with suppress(FileNotFoundError):
            return {
                "turns": turns,
                "database_mb": size / 1e6,
                "wal_mb": wal.stat().st_size / 1e6,
            }
        return {"turns": turns, "database_mb": size / 1e6, "wal_mb": 0.0}


def _of_processes(pids: Sequence[int]) -> Row:
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for pid in pids:
        role = processes.role_of(processes.command(pid))
        groups[role if role in ROLES else "children"].append(pid)
    row: Row = {"processes": float(len(pids))}
    for role in ROLES:
        row[f"{role}_mb"] = processes.memory(groups[role]).pss
        row[f"{role}_descriptors"] = sum(_count(pid, "fd") for pid in groups[role])
        row[f"{role}_threads"] = sum(_count(pid, "task") for pid in groups[role])
    return row


def _count(pid: int, folder: str) -> float:
    with suppress(OSError):
        return float(sum(1 for _ in Path(f"/proc/{pid}/{folder}").iterdir()))
    return 0.0


def write(rows: Iterable[Row], file: Path) -> None:
    rows = list(rows)
    with file.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows({name: round(value, 4) for name, value in row.items()} for row in rows)


def read(file: Path) -> list[Row]:
    with file.open(newline="") as stream:
        return [
            {name: float(value) for name, value in row.items()} for row in csv.DictReader(stream)
        ]
