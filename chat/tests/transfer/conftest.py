from collections.abc import Iterator
from typing import Any

import pytest
from celery import Celery, current_app


@pytest.fixture(autouse=True)
def broker() -> Iterator[Celery]:
    """A broker in memory that takes every ring; tests run the worker's part themselves."""
    before = current_app._get_current_object()  # type: ignore[attr-defined]  # it is a proxy
    app = Celery("transfer", broker="memory://", set_as_current=False)
    app.set_current()
    yield app
    before.set_current()
    with Celery(broker="memory://", set_as_current=False).connection_for_read() as opened:
        for name in ("tools", "turns"):
            opened.SimpleQueue(name).clear()


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Any) -> None:
    """A folder for uploads of its own."""
    settings.HOME = tmp_path
