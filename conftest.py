"""What all tests share: marks by place, and real servers to run against."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.test.utils import teardown_databases
from pytest_django.plugin import DjangoDbBlocker

from tests import database
from tests.redis_server import RedisServer

ROOT = Path(__file__).parent
# Whose statements have to mean the same to both databases.
ON_BOTH_DATABASES = tuple(
    ROOT / tests
    for tests in ("chat/tests/engine", "tracing/tests", "db/tests", "tests/test_jobs.py")
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if any(map(item.path.is_relative_to, ON_BOTH_DATABASES)):
            item.add_marker("engine")


@pytest.fixture(scope="session")
def django_db_setup(
    pytestconfig: pytest.Config,
    django_test_environment: None,
    django_db_blocker: DjangoDbBlocker,
    django_db_modify_db_settings: None,
) -> Iterator[None]:
    """In place of pytest-django's own, which applies all migrations in every process."""
    folder = pytestconfig.cache.mkdir("databases")
    with django_db_blocker.unblock():
        configuration = database.set_up(folder)
    yield
    with django_db_blocker.unblock():
        teardown_databases(configuration, verbosity=0)


@pytest.fixture(scope="session")
def redis_process() -> Iterator[RedisServer]:
    with RedisServer(settings.REDIS_URL) as server:
        yield server


@pytest.fixture
def redis_server(redis_process: RedisServer) -> Iterator[RedisServer]:
    """A real Redis at `settings.REDIS_URL`, empty at the beginning, gone at the end: without this
    fixture a test runs as while Redis is down."""
    redis_process.ensure_up()
    redis_process.flush()
    yield redis_process
    redis_process.kill()
