"""The timer and the reader of rings start with the worker, before it has reached Redis, and the
worker releases its work at its end.

Celery's signal `worker_ready` would be too late: it comes when the queues are being listened to, so
a worker that starts while Redis is away would leave the turns and calls of another one that died.
"""

import logging
import threading
from collections.abc import Callable
from typing import Any

from celery import Celery, bootsteps
from celery.signals import celeryd_after_setup, worker_shutdown, worker_shutting_down

from chat.engine.tool_calls.running_calls import running_calls
from chat.engine.turn.advance import advance, slots
from chat.engine.worker import draining
from chat.engine.worker.periodic_tasks import PeriodicWork
from chat.engine.worker.ring_reader import RingReader
from chat.engine.worker.running_turns import running_turns
from chat.engine.worker.worker_timer import CallBeat, TurnBeat, WorkerTimer
from chat.placement import machines
from chat.placement.presence import presence
from chat.placement.routing import is_shared
from host import interpreter
from tools.calls.slots import tools_worker

logger = logging.getLogger(__name__)

_timers: list[WorkerTimer] = []
_readers: list[RingReader] = []


def silence_s() -> float:
    """Seconds since the last beat of the slowest timer; 0 before the worker is ready."""
    return max((timer.silence_s for timer in _timers), default=0.0)


def hears_rings() -> bool:
    """Whether the readers of rings, if there are any, wait at Redis for them."""
    return all(reader.hears for reader in _readers)


def attach(app: Celery, work: PeriodicWork, started: Callable[[], None]) -> None:
    """Connects the handlers. Called once, by the Celery application's module, with the periodic
    work that the `tools` worker has to do. `started` is called when timer and reader run."""

    class Engine(bootsteps.StartStopStep):
        requires = ("celery.worker.components:Pool",)

        def start(self, parent: Any) -> None:
            _start(work, parent)
            started()

        def stop(self, parent: Any) -> None:
            """The signals have done so."""

    app.steps["worker"].add(Engine)
    celeryd_after_setup.connect(_take_own_queue, weak=False)
    worker_shutting_down.connect(_stop, weak=False)
    worker_shutdown.connect(_close, weak=False)


def _take_own_queue(instance: Any, **_: Any) -> None:
    """Calls that only this machine can run have a queue of their own."""
    queues = instance.app.amqp.queues
    if "tools" in queues.consume_from and not is_shared():
        queues.select_add(machines.queue(machines.name()))


def _start(work: PeriodicWork, worker: Any) -> None:
    queues = set(worker.app.amqp.queues.consume_from)
    threads = worker.pool.limit
    if "turns" in queues:
        slots.capacity = threads
        _timers.append(WorkerTimer(TurnBeat(threads), running_turns.poked))
        _readers.append(RingReader(advance, threads))
    if "tools" in queues:
        tools_worker.capacity = threads
        presence.start()
        _timers.append(WorkerTimer(CallBeat(threads, work), threading.Event()))
    interpreter.freeze()
    for timer in _timers:
        timer.start()
    for reader in _readers:
        reader.start()


def _stop(**_: Any) -> None:
    """Releases turns and calls, so that another process goes on at once."""
    for reader in _readers:
        reader.stop()
    running_turns.close()
    running_calls.closing = True
    presence.stop()
    if running_calls.ids():
        draining.begin()


def _close(**_: Any) -> None:
    """After the last task; leases are renewed until then."""
    for reader in _readers:
        reader.close()
    is_tools_worker = any(isinstance(timer.beat, CallBeat) for timer in _timers)
    for timer in _timers:
        timer.close()
    if is_tools_worker:
        presence.close()
