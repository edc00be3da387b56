"""What a slow start says. The services are real processes."""

import asyncio
import sys
from pathlib import Path

import pytest

from config.supervisor.journal import Journal
from config.supervisor.service import Plan, Service
from config.supervisor.waiting import Patience, until_ready

pytestmark = pytest.mark.process

SLEEPS = "import time; time.sleep(60)"
ANNOUNCES = "from config import readiness; readiness.announce(); " + SLEEPS


def output_of(tmp_path: Path, capsys: pytest.CaptureFixture[str], patience: Patience) -> str:
    """Messages while waiting for a web server, which starts, and two workers, which do not."""
    asyncio.run(_wait(tmp_path, patience))
    return capsys.readouterr().out


async def _wait(home: Path, patience: Patience) -> None:
    (home / "run").mkdir()
    programs = {"web": ANNOUNCES, "turns": SLEEPS, "tools": SLEEPS}
    services = {name: _service(home, name, code) for name, code in programs.items()}
    running = [asyncio.create_task(service.run()) for service in services.values()]
    await asyncio.wait_for(services["web"].ready.wait(), 30)
    await until_ready(services, home / "logs", patience)
    for service in services.values():
        service.kill()
    await asyncio.gather(*running)


def _service(home: Path, name: str, code: str) -> Service:
    folder = Path(__file__).resolve().parents[2]
    plan = Plan(name, [sys.executable, "-c", code], {"PYTHONPATH": str(folder)}, folder)
    return Service(plan, Journal(home, name), home / "run")


def test_a_slow_start_says_what_is_waited_for_and_how_long_that_is_normal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = output_of(tmp_path, capsys, Patience(quiet=0.01, longest=0.02))
    assert (
        "Still starting: the worker for answers and the worker for tools. This takes up" in output
    )
    assert "web" not in output
    assert "The worker for tools has not started within 0.02 s. Its log" in output
    assert f"{tmp_path}/logs/tools.log" in output


def test_a_start_in_time_says_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    service = _service(tmp_path, "web", ANNOUNCES)
    service.ready.set()
    asyncio.run(until_ready({"web": service}, tmp_path))
    assert capsys.readouterr().out == ""
