"""Handing a task to Celery. The database is the authority: what is sent says only where to look."""

from collections.abc import Sequence

from celery import current_app
from kombu.exceptions import OperationalError

# What `send` raises while Redis is out of reach.
UNREACHABLE = (OperationalError, OSError)


def send(task: str, queue: str, arguments: Sequence[object]) -> None:
    """Has a worker of this queue run the task. Raises one of `UNREACHABLE`."""
    current_app.send_task(task, args=arguments, queue=queue, ignore_result=True, retry=False)
