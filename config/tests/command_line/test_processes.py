"""`roundtrip web` and `roundtrip worker`: a process each, which signals reach."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks.product import begin_with
from config.command_line import main
from tests.environment import clean_environment
from tests.machines.machines import Machine
from tests.redis_server import RedisServer

Start = Callable[..., Machine]


@pytest.fixture
def start(tmp_path: Path, migrated: Path | None, redis_server: RedisServer) -> Iterator[Start]:
    """Starts the command with these arguments, and waits until the process is ready."""
    begin_with(tmp_path / "home", migrated)
    started: list[Machine] = []

    def start(*arguments: str) -> Machine:
        environment = {
            **clean_environment(),
            "ROUNDTRIP_HOME": str(tmp_path / "home"),
            "REDIS_URL": redis_server.url,
        }
        started.append(
            Machine(arguments[0], ["-m", "config.command_line", *arguments], environment)
        )
        started[-1].start()
        started[-1].wait_until_ready()
        return started[-1]

    yield start
    for each in started:
        each.end()


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    """Which a command sets for the process that it becomes."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.parametrize("arguments", [["web"], ["worker", "turns"], ["worker", "tools"]], ids=str)
def test_a_process_becomes_ready_and_ends_at_sigterm(start: Start, arguments: list[str]) -> None:
    process = start(*arguments)
    process.signal(signal.SIGTERM)

    assert process.wait_for_end(15) in (0, -signal.SIGTERM)


def test_a_worker_takes_the_options_of_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    replaced: dict[str, list[str]] = {}
    monkeypatch.setenv("ROUNDTRIP_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.execve", lambda file, words, environment: replaced.update(a=words))
    main(["worker", "turns", "--processes", "4", "--threads", "16"])

    assert replaced["a"][1:] == ["-m", "config.work", "turns", "16", "4"]


def test_the_port_of_the_command_counts_more_than_that_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    replaced: dict[str, str] = {}
    monkeypatch.setenv("ROUNDTRIP_HOME", str(tmp_path))
    monkeypatch.setenv("PORT", "8000")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.execve", lambda file, words, environment: replaced.update(environment))
    main(["web", "--port", "8099"])

    assert replaced["PORT"] == "8099"


@pytest.mark.parametrize("port", ["80a", "-1", "65536"])
def test_a_port_that_is_none_is_a_usage_error(
    port: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["run", f"--port={port}"])

    assert ended.value.code == 2
    assert "is no port" in capsys.readouterr().err
