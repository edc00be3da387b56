"""`GET /health/live` and `/health/ready` of a worker, on HEALTH_PORT; nothing without it.

live    the timer of the worker has moved lately (`MAX_BEAT_SILENCE_S`)
ready   the database and Redis answer, and the worker takes tasks and rings; false while it stops

Of several processes that are forked from one, the nth listens on HEALTH_PORT + n - 1
(`config.work`).
"""

import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from celery.signals import worker_ready, worker_shutting_down
from django.db import close_old_connections

from chat.engine.worker import celery_signals
from config.health import database_answers, redis_answers
from config.probes import LIVE, READY, encoded
from limits.processes import MAX_BEAT_SILENCE_S

# Seconds for a request of a probe.
TIMEOUT_S = 5


class WorkerState:
    """What the signals of Celery tell of this worker."""

    def __init__(self) -> None:
        self._consumer: Any = None
        self._is_stopping = False
        worker_ready.connect(self._begin, weak=False)
        worker_shutting_down.connect(self._stop, weak=False)

    def takes_work(self) -> bool:
        connection = getattr(self._consumer, "connection", None)
        is_connected = connection is not None and bool(connection.connected)
        return is_connected and not self._is_stopping and celery_signals.hears_rings()

    def _begin(self, sender: Any, **_: Any) -> None:
        self._consumer = sender

    def _stop(self, **_: Any) -> None:
        self._is_stopping = True


def facts(path: str, state: WorkerState) -> dict[str, Any] | None:
    """What is answered, the verdict first; None for another path."""
    if path == LIVE:
        silence = celery_signals.silence_s()
        return {"live": silence < MAX_BEAT_SILENCE_S, "beat_seconds_ago": round(silence, 1)}
    if path != READY:
        return None
    try:
        parts = {"database": database_answers(), "redis": redis_answers()}
    finally:
        close_old_connections()
    parts["consuming"] = state.takes_work()
    return {"ready": all(parts.values()), **parts}


def listen(port: int) -> None:
    """Answers probes from a thread. Raises OSError if the port is in use."""
    state = WorkerState()
    host = os.environ.get("HEALTH_HOST") or os.environ.get("HOST") or "127.0.0.1"

    class Handler(BaseHTTPRequestHandler):
        timeout = TIMEOUT_S

        def do_GET(self) -> None:
            answer = facts(self.path, state)
            if answer is None:
                self.send_error(404)
                return
            status, body = encoded(answer)
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Probes come every few seconds."""

    server = ThreadingHTTPServer((host, port), Handler)
    threading.Thread(target=server.serve_forever, name="health", daemon=True).start()
