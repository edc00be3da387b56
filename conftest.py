"""What all tests share: marks, and real servers to run against."""

import gc
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.staticfiles import handlers
from django.test import TransactionTestCase
from hypothesis import settings as hypothesis_settings
from pytest_django.live_server_helper import LiveServer
from pytest_django.plugin import DjangoDbBlocker

from chat import storage
from chat.quotas import rules
from tests import database, flush, scheduling
from tests.chromium import SharedChromium
from tests.redis_server import RedisServer
from tests.static_files import StaticFilesInMemory
from tools import loop

# How long an example takes says more about what else the machine does.
hypothesis_settings.register_profile("roundtrip", deadline=None)
hypothesis_settings.register_profile("campaign", deadline=None, max_examples=1_000)
hypothesis_settings.register_profile("quick", deadline=None, max_examples=25)
hypothesis_settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or "roundtrip")

# The Redis of the process. It is killed before a test that does not ask for one.
REDIS = pytest.StashKey[RedisServer]()

# What is imported and collected stays until the end: the collector need not look at it each time.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if "redis_server" in getattr(item, "fixturenames", ()):
            item.add_marker("process")
    if hasattr(config, "workerinput"):  # a process of a parallel run
        items[:] = scheduling.in_order(items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> scheduling.ByFile:
    return scheduling.ByFile(config, log)


@pytest.fixture(scope="session")
def django_db_setup(
    pytestconfig: pytest.Config,
    django_test_environment: None,
    django_db_blocker: DjangoDbBlocker,
    django_db_modify_db_settings: None,
) -> Iterator[None]:
    """In place of pytest-django's own, which applies all migrations in every process."""
    with django_db_blocker.unblock():
        configuration = database.set_up(_templates(pytestconfig))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _: flush.delete_all_rows())
        yield
    with django_db_blocker.unblock():
        database.tear_down(configuration)


@pytest.fixture(scope="session")
def migrated(pytestconfig: pytest.Config, django_db_setup: None) -> Path | None:
    """The file of a migrated database, with which the home of a product may begin."""
    return database.migrated_file(_templates(pytestconfig))


def _templates(config: pytest.Config) -> Path:
    return config.cache.mkdir("databases")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    server = item.session.stash.get(REDIS, None)
    if server is not None and "redis_server" not in getattr(item, "fixturenames", ()):
        server.kill()


@pytest.fixture(scope="session")
def redis_process(request: pytest.FixtureRequest) -> Iterator[RedisServer]:
    with RedisServer(settings.REDIS_URL) as server:
        request.session.stash[REDIS] = server
        yield server


@pytest.fixture
def redis_server(redis_process: RedisServer) -> Iterator[RedisServer]:
    """A real Redis at `settings.REDIS_URL`, as if it had just been started. Without this fixture a
    test runs as while Redis is down."""
    redis_process.ensure_up()
    redis_process.reset()
    yield redis_process
    redis_process.reset()


@pytest.fixture(scope="session")
def shared_chromium() -> Iterator[SharedChromium]:
    shared = SharedChromium()
    yield shared
    shared.stop()


@pytest.fixture(scope="session")
def live_server() -> Iterator[LiveServer]:
    """pytest-django's, with static files from memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(handlers, "StaticFilesHandler", StaticFilesInMemory)
        server = LiveServer("localhost")
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def no_usage_is_known() -> Iterator[None]:
    """What a user stores is not taken for what another test's user of the same key stores, and what
    a message has put off does not fall into the next test."""
    yield
    storage.forget()


@pytest.fixture(autouse=True)
def no_limits_are_known() -> None:
    """Those of the test before are gone with its database, and most tests make none: what they
    count is without reading rules, as for five seconds of any process."""
    rules._known = rules._Rules(at=time.monotonic())


@pytest.fixture(scope="module", autouse=True)
def loop_ends() -> Iterator[None]:
    """Ends the process's loop with each file, and with it what would go on for ever on it: running
    texts that wait for a Redis which is gone, sessions with servers."""
    yield
    loop.close()
