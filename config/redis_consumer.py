"""Celery's consumer, which connects again soon after Redis is back."""

from functools import partial
from typing import Any

from celery.worker.consumer import Consumer

# Seconds before the first retry, added for each further one, and at most.
FIRST_S, STEP_S, LONGEST_S = 0.2, 0.2, 1.0


class RedisConsumer(Consumer):
    """Kombu's own pauses grow by 2 s up to 30 s: after a minute without Redis, tasks would wait for
    half a minute more."""

    def ensure_connected(self, conn: Any) -> Any:
        conn.ensure_connection = partial(
            conn.ensure_connection,
            interval_start=FIRST_S,
            interval_step=STEP_S,
            interval_max=LONGEST_S,
        )
        return super().ensure_connected(conn)
