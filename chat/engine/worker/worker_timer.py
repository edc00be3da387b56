"""The timer of a worker process: leases, stop flags, and the reaper.

No Celery beat: recovery must not need what is broken. A beat renews the leases of what this
process runs, by one UPDATE a table; reads the stop flags, by one SELECT a table; and starts what is
runnable and nobody's. It works while Redis is down.
"""

import itertools
import logging
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from typing import Any, ParamSpec

from django.db import close_old_connections, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

import jobs
from chat import doorbell, events
from chat.agent import subagents
from chat.engine.tool_calls import executing, questions
from chat.engine.tool_calls.endings import WORKER_GONE
from chat.engine.tool_calls.execute import execute
from chat.engine.tool_calls.results import store_shown
from chat.engine.turn import claims
from chat.engine.turn.advance import advance, slots
from chat.engine.worker import running, stopped
from chat.engine.worker.identity import is_dead, process_name
from chat.engine.worker.periodic_tasks import PeriodicTask, PeriodicWork, announce
from chat.engine.worker.running import Cut
from chat.models import Turn
from chat.turn_facts import wake
from db.threads import after_commit, in_database
from limits.turns import MAX_LEASE, MAX_RESUMED_TURNS
from tools.calls.slots import tools_worker
from tracing.export.otlp.beat import ExportBeat
from tracing.models import Span

P = ParamSpec("P")

logger = logging.getLogger(__name__)

BEAT_SECONDS = 2.0
MINUTE_SECONDS = 60.0
HOUR_SECONDS = 3600.0
# A call that was rung when it was written has been claimed by then, unless the ring was lost.
RING_LOST = timedelta(seconds=3)
HELD = (Span.Status.APPROVED, Span.Status.SENT, Span.Status.WAITING)
# A server has it, and may be waiting for a person.
UNDER_WAY = (Span.Status.SENT, Span.Status.WAITING)


class WorkerTimer:
    """Beats every two seconds, and at once when `poked`, in a thread of its own."""

    def __init__(self, beat: Callable[[], None], poked: threading.Event) -> None:
        self._beat = beat
        self._poked = poked
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="worker timer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._poked.set()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self._beat()
            except Exception:
                # Whatever it was: without a timer this process loses all that it runs.
                logger.exception("A beat of the timer failed; the next one comes")
            finally:
                close_old_connections()
            self._poked.wait(BEAT_SECONDS)
            self._poked.clear()


class TurnBeat:
    """What the `turns` worker, which has so many threads, does every beat."""

    def __init__(self, threads: int = 0) -> None:
        self._pool = ThreadPoolExecutor(MAX_RESUMED_TURNS, thread_name_prefix="reaper")
        self._presence = PeriodicTask(
            self._pool, lambda: announce("turns", threads, len(running.registry))
        )

    def __call__(self) -> None:
        self._presence.begin()
        entries = running.registry.all()
        claims.renew([entry.claim for entry in entries])
        jobs.renew()
        end_leases_of_the_dead(Turn.objects.open())
        subagents.stop_orphans()
        interrupt_stopped(entries)
        if not running.registry.closing:
            for turn_id, user_id in unclaimed_turns():
                self._pool.submit(_logged, advance, turn_id, None, user_id)

    def close(self) -> None:
        """Waits for what it has started."""
        self._pool.shutdown()


def unclaimed_turns() -> list[tuple[int, int]]:
    """The turns that nobody runs, and their users; of those that wait in line for a slot only the
    ones that are to stop."""
    runnable = Turn.objects.runnable(timezone.now()).order_by("id")
    rows = runnable.values_list("pk", "user_id", "stop_requested")
    found = [
        (turn_id, user_id)
        for turn_id, user_id, stop in rows[: MAX_RESUMED_TURNS + slots.waiting]
        if stop or not slots.is_waiting(turn_id)
    ]
    return found[:MAX_RESUMED_TURNS]


def interrupt_stopped(entries: list[running.Running]) -> None:
    """Interrupts the turns that are to stop, are over, or have another owner."""
    rows = Turn.objects.filter(pk__in=[entry.claim.turn_id for entry in entries]).values_list(
        "pk", "owner", "epoch", "stop_requested"
    )
    now = {pk: (owner, epoch, stop) for pk, owner, epoch, stop in rows}
    for entry in entries:
        owner, epoch, stop = now.get(entry.claim.turn_id, ("", 0, None))
        if (owner, epoch) != (entry.claim.owner, entry.claim.epoch):
            entry.interrupt(Cut.FENCED)
        elif stop:
            entry.interrupt(Cut.STOPPED)


class CallBeat:
    """What the `tools` worker, which has so many threads, does every beat; and the work of others
    that comes every beat, minute and hour."""

    def __init__(self, threads: int = 0, work: PeriodicWork | None = None) -> None:
        self._pool = ThreadPoolExecutor(MAX_RESUMED_TURNS, thread_name_prefix="reaper")
        work = work or PeriodicWork()
        presence = PeriodicTask(
            self._pool, lambda: announce("tools", threads, len(executing.registry.ids()))
        )
        self._every_beat = [presence, *self._tasks(work.every_beat)]
        self._every_minute = self._tasks(work.every_minute)
        self._every_hour = self._tasks(work.every_hour)
        self._hour_at = time.monotonic()
        self._minute_at = time.monotonic() + MINUTE_SECONDS
        self.export = ExportBeat()

    def _tasks(self, functions: Iterable[Callable[[], object]]) -> list[PeriodicTask]:
        return [PeriodicTask(self._pool, function) for function in functions]

    def __call__(self) -> None:
        for task in self._due():
            task.begin()
        self.export()
        own = executing.registry.ids()
        renew_calls(own)
        jobs.renew()
        in_database(questions.deliver)
        end_leases_of_the_dead(Span.objects.filter(kind=Span.Kind.TOOL, status__in=HELD))
        stopped.interrupt_stopped(own)
        if executing.registry.closing:
            return
        for call_id in reap_calls():
            self._pool.submit(_logged, execute, call_id)

    def close(self) -> None:
        """Waits for what it has started."""
        self.export.close()
        self._pool.shutdown()

    def _due(self) -> list[PeriodicTask]:
        due = list(self._every_beat)
        if time.monotonic() >= self._minute_at:
            self._minute_at = time.monotonic() + MINUTE_SECONDS
            due += self._every_minute
        if time.monotonic() >= self._hour_at:
            self._hour_at += HOUR_SECONDS
            due += self._every_hour
        return due


def _logged(function: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> None:
    """For a thread whose end nobody looks at. The timer begins what is not done again."""
    try:
        function(*args, **kwargs)
    except Exception:
        logger.exception("%s%s failed", function.__name__, args)


def end_leases_of_the_dead(held: QuerySet[Any]) -> None:
    """What a killed process of this machine owned need not wait for its leases to run out."""
    now = timezone.now()
    leased = held.filter(lease_expires__gt=now).exclude(owner="")
    for owner in set(leased.values_list("owner", flat=True)):
        if is_dead(owner):
            logger.warning("Process %s is gone; what it ran is taken over", owner)
            held.filter(owner=owner).update(lease_expires=now)


def renew_calls(own: list[int]) -> None:
    if own:
        held = Span.objects.filter(pk__in=own, owner=process_name())
        held.update(lease_expires=timezone.now() + MAX_LEASE)


def reap_calls() -> list[int]:
    """The approved calls that nobody runs, and that wait in no line for a slot. A call that was cut
    after it was sent is made approved again if it is idempotent; if not, its outcome is unknown,
    and its turn is told."""
    now = timezone.now()
    calls = Span.objects.filter(kind=Span.Kind.TOOL, trace__turn__status__in=Turn.OPEN)
    cut = calls.filter(status__in=UNDER_WAY, lease_expires__lt=now)
    for call in cut.select_related("trace__turn__conversation__archive", "parent"):
        resolve_cut(call)
    unclaimed = Q(owner="", created__lt=now - RING_LOST) | Q(lease_expires__lt=now)
    waiting = calls.filter(unclaimed, status=Span.Status.APPROVED)
    rows = waiting.order_by("id").values_list("pk", flat=True)
    most = MAX_RESUMED_TURNS + tools_worker.waiting
    return list(itertools.filterfalse(tools_worker.is_waiting, rows[:most]))[:MAX_RESUMED_TURNS]


def resolve_cut(call: Span) -> bool:
    """Decides about one call whose worker died after it was sent, by compare-and-set."""
    turn_id = call.trace.turn.pk
    idempotent = bool(call.idempotent)
    with transaction.atomic():
        if not wake(turn_id):
            return False
        held = Span.objects.filter(
            pk=call.pk, token=call.token, status__in=UNDER_WAY, lease_expires__lt=timezone.now()
        )
        status = Span.Status.APPROVED if idempotent else Span.Status.OUTCOME_UNKNOWN
        ended = None if idempotent else timezone.now()
        # The lease stays run out: a call that may run again is found by this very beat.
        resolved = held.update(status=status, owner="", token=F("token") + 1, ended=ended)
        if resolved:
            questions.close_all([call.pk])
            call.status, call.ended = status, ended
            shown = None if idempotent else WORKER_GONE
            if shown is not None:
                store_shown(call.trace.turn, {call: shown})
            after_commit(partial(_announce, call, shown))
            after_commit(partial(doorbell.ring_turn, turn_id, call.trace.turn.user_id))
        return bool(resolved)


def _announce(call: Span, shown: str | None) -> None:
    """Says what became of a call that was cut."""
    assert call.parent is not None
    turn = call.trace.turn
    event = events.call_event(turn, call.parent.number, call, "", shown)
    events.emit(turn.conversation.public_id, event)
    subagents.announce_progress(turn)
