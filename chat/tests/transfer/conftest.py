from collections.abc import Iterator
from typing import Any

import pytest
from celery import Celery

from tests.brokers import ringing


@pytest.fixture(autouse=True)
def broker() -> Iterator[Celery]:
    """A broker in memory that takes every ring; tests run the worker's part themselves."""
    with ringing() as app:
        yield app


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Any) -> None:
    """A folder for uploads of its own."""
    settings.HOME = tmp_path
