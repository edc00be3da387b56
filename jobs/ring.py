"""Ringing the workers. The database is the authority: what is sent says only where to look.

Work that people wait for to begin, the turns, is rung by one entry of a Redis list; all other work
is a Celery task (`docs/decisions/ring-of-turns.md`).
"""

from collections.abc import Sequence

from celery import current_app
from kombu.exceptions import OperationalError

# What `send` raises while Redis is out of reach.
UNREACHABLE = (OperationalError, OSError)
# The Redis list of turns that were rung (`chat.doorbell.TurnRing`), the latest last.
TURN_RINGS = "rt:rings:turns"
# The list of turns of one `turns` process that were rung again while it owns them.
OWNER_RINGS = "rt:rings:turns:{owner}"


def send(task: str, queue: str, arguments: Sequence[object]) -> None:
    """Has a worker of this queue run the task. Raises one of `UNREACHABLE`."""
    current_app.send_task(task, args=arguments, queue=queue, ignore_result=True, retry=False)
