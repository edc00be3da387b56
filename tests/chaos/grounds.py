"""Where a chaos run happens: the product, its Redis, its database, and the disk of both.

The disk is a small file system in memory where the machine lets us mount one (root on Linux).
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.product import begin_with
from benchmarks.stub import stub_process
from tests.chaos.plan import MODELS
from tests.faults.product import Product
from tests.ports import free_port
from tests.postgres import PostgresServer
from tests.redis_server import RedisServer

DISK_MEGABYTES = 600
BALLAST = "ballast"
BLOCK = 2**20


@dataclass
class Grounds:
    """`postgres` is None where the database is SQLite; `disk` None where none could be mounted."""

    product: Product
    redis: RedisServer
    postgres: PostgresServer | None
    disk: Path | None

    def fill_disk(self) -> None:
        """Until not a byte fits any more."""
        assert self.disk is not None
        with suppress(OSError), (self.disk / BALLAST).open("ab", buffering=0) as ballast:
            while ballast.write(bytes(BLOCK)) == BLOCK:
                pass
            while ballast.write(b"0"):
                pass

    def free_disk(self) -> None:
        assert self.disk is not None
        (self.disk / BALLAST).unlink(missing_ok=True)

    def heal(self) -> None:
        """What a fault left broken works again."""
        if self.disk is not None:
            self.free_disk()
        if self.postgres is not None:
            self.postgres.ensure_up()
        self.redis.ensure_up()
        self.product.ensure_up()

    def strangers(self) -> Iterator[tuple[int, str]]:
        """Processes of this home that the supervisor has not started: pid and command line."""
        ours = set(self.product.pids())
        for pid in _pids():
            if pid not in ours and self._is_of_home(pid):
                yield pid, _read(pid, "cmdline").replace("\0", " ").strip()

    def _is_of_home(self, pid: int) -> bool:
        if pid == os.getpid():
            return False
        home = str(self.product.home)
        return home in _read(pid, "cmdline") or f"ROUNDTRIP_HOME={home}\0" in _read(pid, "environ")


@contextmanager
def grounds(postgres: bool, template: Path | None = None) -> Iterator[Grounds]:
    """A product that runs on its grounds; `template` is a migrated SQLite file, to begin with."""
    with (
        TemporaryDirectory(prefix="roundtrip-chaos-", ignore_cleanup_errors=True) as folder,
        mounted(Path(folder)) as disk,
        _database(Path(folder), postgres) as server,
        RedisServer(f"redis://127.0.0.1:{free_port()}/0", keeps=True) as redis,
        stub_process() as stub,
    ):
        home = Path(folder) / "home"
        home.mkdir(mode=0o700)
        if server is None:
            begin_with(home, template)
        product = Product(home, redis, stub, server.url if server else "")
        try:
            product.start()
            product.seed(MODELS, "tests.chaos.seeding")
            yield Grounds(product, redis, server, disk)
        finally:
            product.stop()


@contextmanager
def mounted(folder: Path) -> Iterator[Path | None]:
    """A file system of its own at this folder; None where that is not allowed."""
    if sys.platform != "linux" or os.geteuid() != 0:
        yield None
        return
    # PostgreSQL's user has to get through.
    options = f"size={DISK_MEGABYTES}m,mode=755"
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, stderr=subprocess.DEVNULL).returncode:
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def _database(folder: Path, postgres: bool) -> Iterator[PostgresServer | None]:
    if not postgres:
        yield None
        return
    with PostgresServer(folder) as server:
        yield server


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _read(pid: int, name: str) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/{name}").read_text(errors="replace")
    return ""
