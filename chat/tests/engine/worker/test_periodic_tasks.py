"""What workers do beside their work."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User

from chat.engine.worker.counting import LOCK, count_ended
from chat.engine.worker.periodic_tasks import PeriodicTask, announce
from chat.engine.worker.worker_timer import CallBeat, TurnBeat
from chat.events.log import client
from chat.models import LanguageModel, Turn
from chat.periodic import PERIODIC_WORK
from chat.tests.engine.conftest import answer_rings
from limits.traces import MAX_WORKER_SILENCE_S
from tests import patience
from tests.redis_server import RedisServer
from tracing.models import Metric, Trace
from tracing.stats import worker_presence

pytestmark = pytest.mark.postgres


def test_a_worker_counts_the_turns_that_ended(
    model: Callable[..., LanguageModel], send: Callable[..., Turn]
) -> None:
    turn = answer_rings(send(model("stub-n4-s1")))
    beat = CallBeat(work=PERIODIC_WORK)
    beat()
    beat.end_tasks()
    trace = Trace.objects.get(turn=turn)
    assert (trace.rounds, trace.tokens_out, trace.has_error) == (1, turn.tokens_out, False)
    assert Metric.objects.get(kind="turn", period="ever").count == 1


def test_traces_are_counted_by_one_worker_at_a_time(
    model: Callable[..., LanguageModel], send: Callable[..., Turn], redis_server: RedisServer
) -> None:
    turn = answer_rings(send(model("stub-n4-s1")))
    with client().lock(LOCK, timeout=patience.SECONDS):
        count_ended()
        assert Trace.objects.get(turn=turn).digested is None
    count_ended()
    assert Trace.objects.get(turn=turn).digested is not None
    assert not client().exists(LOCK)


def test_workers_say_that_they_are_there(owner: User, redis_server: RedisServer) -> None:
    beats: tuple[TurnBeat | CallBeat, ...] = (TurnBeat(200), CallBeat(64))
    for beat in beats:
        beat()
        beat.end_tasks()
    found = [(one.queue, one.threads, one.busy) for one in worker_presence.workers(client())]
    assert found == [("tools", 64, 0), ("turns", 200, 0)]


def test_a_silent_worker_is_forgotten(redis_server: RedisServer) -> None:
    announce("turns", 1, 0)
    (worker,) = worker_presence.workers(client())
    assert 0 < client().ttl(worker.key) <= MAX_WORKER_SILENCE_S


def test_a_worker_is_silent_while_redis_is_down() -> None:
    announce("turns", 1, 0)


def test_a_periodic_task_that_is_under_way_is_not_begun_again() -> None:
    begun, go_on = threading.Semaphore(0), threading.Event()

    def work() -> None:
        begun.release()
        go_on.wait(patience.SECONDS)

    with ThreadPoolExecutor(2) as pool:
        task = PeriodicTask(pool, work)
        task.begin()
        assert begun.acquire(timeout=patience.SECONDS)
        task.begin()
        assert not begun.acquire(blocking=False)
        go_on.set()


def test_a_periodic_task_that_failed_is_begun_again() -> None:
    begun = threading.Semaphore(0)

    def work() -> None:
        begun.release()
        raise ValueError("bad")

    with ThreadPoolExecutor(1) as pool:
        task = PeriodicTask(pool, work)
        task.begin()
        assert begun.acquire(timeout=patience.SECONDS)
        pool.submit(int).result(patience.SECONDS)
        task.begin()
        assert begun.acquire(timeout=patience.SECONDS)
