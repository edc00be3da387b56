"""Records calls off the path of their bytes: a bounded queue, and one thread that writes.

Nothing here ever fails a call, or delays one but for the limits of its caller (`last_of`). What
cannot be recorded is counted, with its reason (`/metrics`), and named in the log.
"""

import atexit
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future

from django.db import (
    IntegrityError,
    InterfaceError,
    OperationalError,
    close_old_connections,
    connection,
)

from api.gateway import quotas
from api.gateway.budget import Budget
from api.gateway.call import Call, Loss
from api.gateway.counts import OF_PROCESS, Counts
from limits.gateway import (
    MAX_GATEWAY_PENDING_BYTES,
    MAX_GATEWAY_PENDING_CALLS,
    MAX_GATEWAY_WRITE_ATTEMPTS,
)

logger = logging.getLogger(__name__)

# Writes a call.
Write = Callable[[Call], object]
# Ends what nobody goes on with; how much is still open.
Sweep = Callable[[], int]
# Seconds between two sweeps, while something is open.
SWEEP_S = 15.0
# Seconds before a call is written again after the database failed, times the number of attempts.
RETRY_S = 1.0
# Seconds that the end of the process waits for calls to be written.
FLUSH_S = 5.0


class Recorder:
    """The queue of a process."""

    def __init__(
        self,
        write: Write,
        sweep: Sweep,
        counts: Counts = OF_PROCESS,
        retry_s: float = RETRY_S,
    ) -> None:
        self.budget = Budget(MAX_GATEWAY_PENDING_BYTES)
        self.counts = counts
        self._write = write
        self._sweep = sweep
        self._next_sweep: float | None = 0.0
        self._retry_s = retry_s
        self._waiting: deque[Call] = deque()
        # By person: when the last call that was put in is counted.
        self._last: dict[int, Future[None]] = {}
        self._changed = threading.Condition()
        self._busy = False
        self._stopping = False
        self._thread: threading.Thread | None = None

    def put(self, call: Call) -> None:
        """Takes a call that has ended; never waits, never raises."""
        with self._changed:
            if call.loss is None and len(self._waiting) >= MAX_GATEWAY_PENDING_CALLS:
                call.lose(Loss.BACKLOG)
            if call.loss is not None and call.admission is None:
                self._count_loss(call, call.loss)
                return
            self._waiting.append(call)
            self._last[call.caller.user.pk] = call.counted
            self._start()
            self._changed.notify_all()

    def flush(self, timeout: float = FLUSH_S) -> bool:
        """Waits until everything is written; False if that took longer."""
        with self._changed:
            return self._changed.wait_for(lambda: not (self._waiting or self._busy), timeout)

    def last_of(self, user_id: int) -> Future[None] | None:
        """When all calls of a person that have ended are counted; None if they are."""
        with self._changed:
            return self._last.get(user_id)

    @property
    def pending(self) -> int:
        return len(self._waiting) + self._busy

    def _start(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name="gateway-recorder", daemon=True)
            self._thread.start()
            atexit.register(self.flush)

    def start(self) -> None:
        """Begins to sweep what another process has left open, before there is a call to write."""
        if self._thread is None:
            with self._changed:
                self._start()

    def _run(self) -> None:
        while True:
            self._sweep_if_due()
            call = self._next()
            if call is None:
                continue
            loss = self._record(call)
            with self._changed:
                self._busy = False
                if loss is None:
                    self.counts.recorded += 1
                    self._next_sweep = self._next_sweep or time.monotonic() + SWEEP_S
                else:
                    self._count_loss(call, loss)
                self._changed.notify_all()

    def _next(self) -> Call | None:
        """The next call; None when it is time to sweep."""
        with self._changed:
            until = self._next_sweep
            timeout = None if until is None else max(0.0, until - time.monotonic())
            if not self._changed.wait_for(lambda: self._waiting, timeout):
                return None
            self._busy = True
            return self._waiting.popleft()

    def _sweep_if_due(self) -> None:
        if self._next_sweep is None or self._next_sweep > time.monotonic():
            return
        try:
            close_old_connections()
            is_anything_open = self._sweep() > 0
        except Exception as error:  # the thread has to live on
            logger.warning("Open loops were not looked at: %s", type(error).__name__)
            connection.close()
            is_anything_open = True
        finally:
            close_old_connections()
        self._next_sweep = time.monotonic() + SWEEP_S if is_anything_open else None

    def _record(self, call: Call) -> Loss | None:
        """Why the call could not be written; None if it was. It is over then for the limits of its
        caller, too."""
        try:
            loss = call.loss or self._try_to_write(call)
            if loss is not None and loss is not Loss.DATABASE and call.admission is not None:
                call.lose(loss)
                self._try_to_write(call)  # without its bytes, so that it counts
            return loss
        finally:
            call.release()
            self._settle(call)

    def _settle(self, call: Call) -> None:
        try:
            quotas.end(call)
        except Exception as error:  # the thread has to live on
            logger.warning("A call of the gateway counts later: %s", type(error).__name__)
        with self._changed:
            if self._last.get(call.caller.user.pk) is call.counted:
                del self._last[call.caller.user.pk]
        call.counted.set_result(None)

    def _try_to_write(self, call: Call) -> Loss | None:
        try:
            for attempt in range(1, MAX_GATEWAY_WRITE_ATTEMPTS + 1):
                try:
                    close_old_connections()
                    self._write(call)
                    return None
                except (OperationalError, InterfaceError, IntegrityError):
                    connection.close()
                    if attempt < MAX_GATEWAY_WRITE_ATTEMPTS:
                        threading.Event().wait(self._retry_s * attempt)
            return Loss.DATABASE
        except Exception as error:
            # Without its text and its trace, which may quote what was recorded.
            logger.error("A call of the gateway is not readable: %s", type(error).__name__)
            return Loss.DEFECT

    def _count_loss(self, call: Call, loss: Loss) -> None:
        self.counts.lost[loss] += 1
        logger.warning(
            "A call of the gateway was passed on and not recorded (%s): %s of %s",
            loss.value,
            call.method,
            call.route.name,
        )
