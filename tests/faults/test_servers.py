"""MCP servers that die one after the other: whoever calls them stays as it was.

`DEATHS` says how many; 200 is what the reports speak of.
"""

import asyncio
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings

from tests.faults.product import wait_for
from tools import loop
from tools.mcp import pool
from tools.tests.calling import Caller, odd
from tools.tests.mcp.test_stdio_servers import is_gone

pytestmark = pytest.mark.process

Note = Callable[[str, object], None]

DEATHS = int(os.environ.get("DEATHS") or 20)
WARM_UP = 3
IDLE_CPU_S = 0.05  # in half a second


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Caller]:
    monkeypatch.setattr(settings, "HOME", tmp_path / "home")
    yield Caller(tmp_path / "workspace")
    loop.close()


def test_deaths_in_a_row_leave_nothing_behind(
    caller: Caller, monkeypatch: pytest.MonkeyPatch, record_property: Note
) -> None:
    monkeypatch.setattr(pool, "FIRST_WAIT_S", 0.0)
    for _ in range(WARM_UP):
        die(caller)
    wait_for(lambda: held()["tasks"] == 1)
    before = held()
    pids = [die(caller) for _ in range(DEATHS)]
    assert len(set(pids)) == DEATHS
    wait_for(lambda: all(is_gone(pid) for pid in pids))
    # Less is what tests before this one let go of meanwhile.
    wait_for(lambda: all(held()[what] <= count for what, count in before.items()))
    record_property("held", held())
    wait_for(lambda: cpu_used() < IDLE_CPU_S)
    assert caller.call(odd(), "echo", text="well").text == "well"


def die(caller: Caller) -> int:
    """Has a server die in a call; its process id."""
    pid = int(caller.call(odd(), "process").text)
    result = caller.call(odd(), "die")
    assert result.unknown
    assert "exited with code 7" in result.text
    return pid


def held() -> dict[str, int]:
    """What a leak would make more of."""
    return {
        "file descriptors": len(list(Path("/proc/self/fd").iterdir())),
        "tasks": loop.run(_tasks()),
        "threads": threading.active_count(),
        "ledger": len(list((settings.HOME / "children").glob("*"))),
    }


def cpu_used(seconds: float = 0.5) -> float:
    """What the loop of the sessions used; other tests' threads may still be ending."""
    began = loop.run(_thread_time())
    time.sleep(seconds)
    return loop.run(_thread_time()) - began


async def _thread_time() -> float:
    return time.thread_time()


async def _tasks() -> int:
    return len(asyncio.all_tasks())
