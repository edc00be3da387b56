"""A broker in memory in the place of the product's: it takes every ring and delivers none."""

from collections.abc import Iterator
from contextlib import contextmanager

from celery import Celery
from celery.app import app_or_default

MEMORY = "memory://"
QUEUES = ("tools", "turns")


@contextmanager
def ringing(url: str = MEMORY) -> Iterator[Celery]:
    """The application that rings go to, with the broker at `url`. What was put into a broker in
    memory, which all those of a process share, is gone afterwards."""
    before = app_or_default()
    app = Celery("tests", broker=url, set_as_current=False)
    app.set_current()
    try:
        yield app
    finally:
        before.set_current()
        with Celery(broker=MEMORY, set_as_current=False).connection_for_read() as opened:
            for name in QUEUES:
                opened.SimpleQueue(name).clear()
