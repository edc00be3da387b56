"""The thread of a worker that exports traces; no turn waits for it."""

import logging
import threading
from typing import TYPE_CHECKING

from django.db import Error, close_old_connections, connection

from tracing.export.otlp import switch

if TYPE_CHECKING:
    from tracing.export.otlp.sender import Sender

logger = logging.getLogger(__name__)


class ExportBeat:
    """Called at every beat of the worker's timer; returns at once. At most one thread sends."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._due = threading.Event()
        self._is_over = False
        self._sender: Sender | None = None
        self._is_on = switch.sends_traces()
        if self._is_on and (why := switch.problem()):
            logger.error("OTLP: nothing is exported. %s", why)
            self._is_on = False

    def __call__(self) -> None:
        if not self._is_on:
            return
        if self._thread is None:
            # A daemon: the end of a worker does not wait for a collector that hangs.
            self._thread = threading.Thread(target=self._run, name="otlp", daemon=True)
            self._thread.start()
        self._due.set()

    def close(self) -> None:
        """Ends the thread, as soon as the collector has answered or its time is over."""
        self._is_over = True
        self._due.set()
        if self._sender is not None:
            self._sender.close()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        from tracing.export.otlp.sender import Sender

        while self._due.wait() and not self._is_over:
            self._due.clear()
            try:
                self._sender = self._sender or Sender()
                while self._sender.round() and not self._is_over:
                    pass
            except Error:
                logger.warning("OTLP: the database did not answer; it is tried again")
            except Exception:
                logger.exception("OTLP: the export ended; the next start of the worker tries again")
                return
            finally:
                close_old_connections()
        connection.close()
