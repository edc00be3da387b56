"""What belongs to nobody is found, and faults of a database and a disk are real."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.stub import StubProcess
from tests.chaos import faults, grounds
from tests.chaos.grounds import Grounds
from tests.faults.product import Product
from tests.redis_server import RedisServer


@pytest.fixture
def ground(tmp_path: Path) -> Grounds:
    """A product that was not started."""
    redis = RedisServer("redis://127.0.0.1:9/0")
    return Grounds(Product(tmp_path, redis, StubProcess("", 0)), redis, None, None)


@pytest.fixture
def orphan(tmp_path: Path) -> Iterator[int]:
    """A process of the home that no supervisor has started."""
    command = [sys.executable, "-c", "input()"]
    environment = {**os.environ, "ROUNDTRIP_HOME": str(tmp_path)}
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE) as process:
        yield process.pid
        process.kill()


def test_a_process_of_the_home_that_nobody_started_is_found(ground: Grounds, orphan: int) -> None:
    assert [pid for pid, _ in ground.strangers()] == [orphan]


def test_a_home_without_processes_has_no_strangers(ground: Grounds) -> None:
    assert list(ground.strangers()) == []


def test_a_locked_database_refuses_writers_until_the_lock_is_over(ground: Grounds) -> None:
    file = ground.product.home / "roundtrip.sqlite3"
    with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as writer:
        writer.execute("CREATE TABLE notes (text)")
        with faults.locked(ground), pytest.raises(sqlite3.OperationalError, match="locked"):
            writer.execute("INSERT INTO notes VALUES ('a')")
        writer.execute("INSERT INTO notes VALUES ('b')")


def test_a_full_disk_takes_nothing_more_until_it_is_freed(
    ground: Grounds, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grounds, "DISK_MEGABYTES", 2)
    disk = tmp_path / "disk"
    disk.mkdir()
    with grounds.mounted(disk) as mounted:
        if mounted is None:
            pytest.skip("no file system can be mounted here")
        ground.disk = mounted
        ground.fill_disk()
        with pytest.raises(OSError, match="No space left"):
            (disk / "more").write_bytes(b"0" * 5000)
        ground.free_disk()
        (disk / "more").write_bytes(b"0" * 5000)


def test_a_disk_that_cannot_be_filled_is_said(ground: Grounds) -> None:
    with pytest.raises(faults.NotPossible):
        faults.inflict("full-disk", ground, 0)
