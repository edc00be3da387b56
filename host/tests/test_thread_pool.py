"""A thread pool whose idle threads end."""

import threading
import time

import pytest

from host.thread_pool import ThreadPool

SECONDS = 5.0


def test_tasks_run_side_by_side_up_to_the_number_of_threads() -> None:
    pool = ThreadPool(3, "pool")
    meeting = threading.Barrier(3)
    tasks = [pool.submit(meeting.wait, SECONDS) for _ in range(6)]
    assert sorted(task.result(SECONDS) for task in tasks) == [0, 0, 1, 1, 2, 2]
    assert len(pool) == 3
    pool.shutdown()


def test_one_task_after_another_needs_one_thread() -> None:
    pool = ThreadPool(8, "pool")
    for number in range(20):
        assert pool.submit(abs, -number).result(SECONDS) == number
    assert len(pool) <= 2  # a thread may not be back yet when the next task comes
    pool.shutdown()


def test_threads_without_work_end_and_new_ones_begin() -> None:
    pool = ThreadPool(4, "pool", idle_seconds=0.01)
    assert pool.submit(abs, -1).result(SECONDS) == 1
    until = time.monotonic() + SECONDS
    while len(pool) and time.monotonic() < until:
        threading.Event().wait(0.01)
    assert len(pool) == 0
    assert pool.submit(abs, -2).result(SECONDS) == 2
    pool.shutdown()


def test_an_error_is_that_of_its_task() -> None:
    pool = ThreadPool(1, "pool")
    with pytest.raises(ValueError, match="invalid literal"):
        pool.submit(int, "one").result(SECONDS)
    assert pool.submit(int, "1").result(SECONDS) == 1
    pool.shutdown()


def test_shutdown_waits_for_what_was_submitted_and_takes_no_more() -> None:
    pool = ThreadPool(1, "pool")
    tasks = [pool.submit(abs, -number) for number in range(50)]
    pool.shutdown()
    assert all(task.done() for task in tasks)
    with pytest.raises(RuntimeError):
        pool.submit(abs, 1)
