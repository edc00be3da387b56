"""Ringing through the application as every process has it."""

import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest
from celery import Celery
from kombu.exceptions import OperationalError

from config.celery import app
from tests.redis_server import RedisServer
from tests.slowness import slowness


@pytest.fixture
def silent_redis() -> Iterator[str]:
    """Something that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"redis://127.0.0.1:{server.getsockname()[1]}/0"


def _application(broker: str) -> Celery:
    other = Celery("other", fixups=[], set_as_current=False)
    other.config_from_object("config.queues")
    other.conf.update(broker_url=broker)
    return other


def _seconds_until_refused(application: Celery) -> float:
    began = time.monotonic()
    with pytest.raises(OperationalError):
        application.send_task("chat.advance", args=(1,), retry=False)
    return time.monotonic() - began


def test_a_redis_that_is_down_costs_less_than_a_second() -> None:
    assert _seconds_until_refused(app) < slowness(time.monotonic)


def test_a_redis_that_hangs_costs_about_a_second(silent_redis: str) -> None:
    assert _seconds_until_refused(_application(silent_redis)) < 1 + slowness(time.monotonic)


def test_each_task_goes_to_the_queue_of_its_worker(redis_server: RedisServer) -> None:
    for task in ("chat.advance", "chat.execute", "tools.refresh"):
        app.send_task(task, args=(1,))

    with app.connection_for_read() as connection:
        channel: Any = connection.default_channel
        waiting = {name: channel.client.llen(name) for name in ("turns", "tools")}
    assert waiting == {"turns": 1, "tools": 2}
