"""The timer: what it takes over, and from whom."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from chat.engine.turn import claims
from chat.engine.worker import worker_timer
from chat.engine.worker.identity import is_dead, machine, process_name
from chat.models import LanguageModel, Turn
from tests import patience

pytestmark = [pytest.mark.process, pytest.mark.postgres]

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]


def a_dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_this_process_is_alive() -> None:
    assert not is_dead(process_name())


def test_a_process_that_ended_is_dead() -> None:
    assert is_dead(f"{machine()}:{a_dead_pid()}:abc")


def test_a_process_of_another_machine_may_be_alive() -> None:
    assert not is_dead(f"elsewhere.1:{a_dead_pid()}:abc")


def test_a_turn_of_a_killed_process_is_runnable_at_once(model: Model, send: Send) -> None:
    turn = send(model("stub-r0-n5"))
    claims.claim(turn.pk, f"{machine()}:{a_dead_pid()}:abc")
    worker_timer.end_leases_of_the_dead(Turn.objects.open())
    assert claims.claim(turn.pk) is not None


def test_a_turn_of_a_living_process_stays_with_it(model: Model, send: Send) -> None:
    turn = send(model("stub-r0-n5"))
    claims.claim(turn.pk, f"{machine()}:{os.getppid()}:abc")
    worker_timer.end_leases_of_the_dead(Turn.objects.open())
    assert claims.claim(turn.pk) is None


def test_the_timer_goes_on_after_a_beat_that_failed(transactional_db: None) -> None:
    beats, poked = threading.Semaphore(0), threading.Event()

    class BadBeat:
        def __call__(self) -> None:
            beats.release()
            raise ValueError("a defect")

        def end_tasks(self) -> None:
            pass

    timer = worker_timer.WorkerTimer(BadBeat(), poked)
    timer.start()
    assert beats.acquire(timeout=patience.SECONDS)
    poked.set()
    assert beats.acquire(timeout=patience.SECONDS)
    timer.close()
