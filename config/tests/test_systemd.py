"""What systemd is told: readiness, signs of life, the end."""

import asyncio
import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from config import systemd


@pytest.fixture
def heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """The end at which systemd listens."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.settimeout(5)
        monkeypatch.setenv(systemd.SOCKET, str(tmp_path / "notify"))
        yield listener


def test_a_report_is_one_datagram_of_lines(heard: socket.socket) -> None:
    assert systemd.notify(systemd.READY, "STATUS=Serving http://127.0.0.1:8000")
    assert heard.recv(4096) == b"READY=1\nSTATUS=Serving http://127.0.0.1:8000"


def test_an_abstract_socket_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"roundtrip-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(f"\0{name}")
        monkeypatch.setenv(systemd.SOCKET, f"@{name}")
        assert systemd.notify(systemd.STOPPING)
        assert listener.recv(4096) == b"STOPPING=1"


def test_without_systemd_nobody_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(systemd.SOCKET, raising=False)
    assert not systemd.notify(systemd.READY)
    monkeypatch.setenv(systemd.SOCKET, str(tmp_path / "nobody"))
    assert not systemd.notify(systemd.READY)


def test_signs_of_life_come_in_half_of_the_time_that_systemd_waits(
    heard: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(systemd.WATCHDOG, "20000")
    assert systemd.watchdog_interval() == 0.01

    async def for_a_while() -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(systemd.keep_alive(), 0.2)

    asyncio.run(for_a_while())
    assert [heard.recv(4096), heard.recv(4096)] == [b"WATCHDOG=1"] * 2


@pytest.mark.parametrize(("value", "process"), [("", ""), ("0", ""), ("soon", ""), ("20000", "1")])
def test_no_signs_are_sent_where_none_are_waited_for(
    heard: socket.socket, monkeypatch: pytest.MonkeyPatch, value: str, process: str
) -> None:
    monkeypatch.setenv(systemd.WATCHDOG, value)
    monkeypatch.setenv(systemd.WATCHDOG_PROCESS, process)
    assert systemd.watchdog_interval() is None
    asyncio.run(systemd.keep_alive())
