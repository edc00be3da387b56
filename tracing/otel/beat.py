"""The exporter's place in a worker: a thread of its own, which no turn waits for."""

import logging
import threading

from django.db import Error, close_old_connections

from tracing.otel import switch

logger = logging.getLogger(__name__)


class ExportBeat:
    """Called at every beat of the timer; returns at once. At most one thread sends."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._due = threading.Event()
        self._is_on = switch.sends_traces()
        if self._is_on and (why := switch.problem()):
            logger.error("OTLP: nothing is exported. %s", why)
            self._is_on = False

    def __call__(self) -> None:
        if not self._is_on:
            return
        if self._thread is None:
            # A daemon: a worker that ends does not wait for a collector that hangs.
            self._thread = threading.Thread(target=self._run, name="otlp", daemon=True)
            self._thread.start()
        self._due.set()

    def _run(self) -> None:
        from tracing.otel.sender import Sender

        sender: Sender | None = None
        while self._due.wait():
            self._due.clear()
            try:
                sender = sender or Sender()
                while sender.round():
                    pass
            except Error:
                logger.warning("OTLP: the database did not answer; it is tried again")
            except Exception:
                logger.exception("OTLP: the export ended; the next start of the worker tries again")
                return
            finally:
                close_old_connections()
