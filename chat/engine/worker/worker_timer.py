"""The timer of a worker process: leases, stop flags, and the reaper.

Celery beat is not used, because recovery must not depend on what may be broken. Each beat renews
the leases of this process by one UPDATE a table, reads the stop flags by one SELECT a table, and
starts what is runnable and has no owner. It works while Redis is down.
"""

import itertools
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable
from datetime import timedelta
from functools import partial
from typing import Any, ParamSpec, Protocol

from django.db import close_old_connections, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

import jobs
from chat import doorbell, events
from chat.agent import subagents
from chat.engine.tool_calls import questions
from chat.engine.tool_calls.endings import WORKER_GONE
from chat.engine.tool_calls.execute import execute
from chat.engine.tool_calls.results import store_shown
from chat.engine.tool_calls.running_calls import running_calls
from chat.engine.turn import claims
from chat.engine.turn.advance import advance, slots
from chat.engine.worker.identity import is_dead, process_name
from chat.engine.worker.periodic_tasks import PeriodicTask, PeriodicWork, announce
from chat.engine.worker.running_turns import Cut, RunningTurn, running_turns
from chat.engine.worker.stopped_calls import interrupt_stopped_calls
from chat.models import COUNTED_USER, Turn
from chat.turn_facts import wake
from db.threads import after_commit, in_database
from host.thread_pool import ThreadPool
from limits.turns import MAX_LEASE, MAX_RESUMED_TURNS
from tools.calls.slots import tools_worker
from tracing.export.otlp.beat import ExportBeat
from tracing.models import Span

P = ParamSpec("P")

logger = logging.getLogger(__name__)

BEAT_SECONDS = 2.0
# Tests of a whole product shorten the minute by the environment.
MINUTE_SECONDS = float(os.environ.get("ROUNDTRIP_MINUTE_SECONDS") or 60)
HOUR_SECONDS = 3600.0
# Age at which a call without an owner counts as not rung: the ring was lost.
RING_LOST = timedelta(seconds=3)
# States in which a server has the call.
SENT_STATES = (Span.Status.SENT, Span.Status.WAITING)


class Beat(Protocol):
    def __call__(self) -> None: ...

    def end_tasks(self) -> None:
        """Waits for the tasks that it has started; it starts no more."""


class WorkerTimer:
    """Beats every two seconds, and at once when `poked`, in a thread of its own."""

    def __init__(self, beat: Beat, poked: threading.Event) -> None:
        self._beat = beat
        self._poked = poked
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="worker timer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Ends the thread, then the tasks that beats have begun: while the process ends, no new one
        can use the database's threads."""
        self._stopped.set()
        self._poked.set()
        self._thread.join()
        self._beat.end_tasks()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self._beat()
            except Exception:
                # Without a timer the process would lose all that it runs: any error is survived.
                logger.exception("A beat of the timer failed; the next one comes")
            finally:
                close_old_connections()
            self._poked.wait(BEAT_SECONDS)
            self._poked.clear()


class TurnBeat:
    """The beat of a `turns` worker with so many threads."""

    def __init__(self, threads: int = 0) -> None:
        self._pool = ThreadPool(MAX_RESUMED_TURNS, "reaper")
        self._presence = PeriodicTask(
            self._pool, lambda: announce("turns", threads, len(running_turns))
        )

    def __call__(self) -> None:
        self._presence.begin()
        entries = running_turns.all()
        claims.renew([entry.claim for entry in entries])
        jobs.renew()
        end_leases_of_the_dead(Turn.objects.open())
        subagents.stop_orphans()
        interrupt_stopped_turns(entries)
        if not running_turns.closing:
            for turn_id, user_id in unclaimed_turns():
                self._pool.submit(_logged, advance, turn_id, None, user_id)

    def end_tasks(self) -> None:
        self._pool.shutdown()


def unclaimed_turns() -> list[tuple[int, int]]:
    """The runnable turns without an owner, and their users; of those that wait for a slot only the
    ones that are to stop."""
    runnable = Turn.objects.runnable(timezone.now()).order_by("id")
    rows = runnable.values_list("pk", COUNTED_USER, "stop_requested")
    unclaimed = [
        (turn_id, user_id)
        for turn_id, user_id, stop in rows[: MAX_RESUMED_TURNS + slots.waiting]
        if stop or not slots.is_waiting(turn_id)
    ]
    return unclaimed[:MAX_RESUMED_TURNS]


def interrupt_stopped_turns(entries: list[RunningTurn]) -> None:
    """Interrupts the turns that are to stop, are over, or have another owner."""
    rows = Turn.objects.filter(pk__in=[entry.claim.turn_id for entry in entries]).values_list(
        "pk", "owner", "epoch", "stop_requested"
    )
    current = {pk: (owner, epoch, stop) for pk, owner, epoch, stop in rows}
    for entry in entries:
        owner, epoch, stop = current.get(entry.claim.turn_id, ("", 0, None))
        if (owner, epoch) != (entry.claim.owner, entry.claim.epoch):
            entry.interrupt(Cut.FENCED)
        elif stop:
            entry.interrupt(Cut.STOPPED)


class CallBeat:
    """The beat of a `tools` worker with so many threads, and the periodic work of other
    packages."""

    def __init__(self, threads: int = 0, work: PeriodicWork | None = None) -> None:
        self._pool = ThreadPool(MAX_RESUMED_TURNS, "reaper")
        work = work or PeriodicWork()
        presence = PeriodicTask(
            self._pool, lambda: announce("tools", threads, len(running_calls.ids()))
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
        call_ids = running_calls.ids()
        renew_calls(call_ids)
        jobs.renew()
        in_database(questions.deliver)
        end_leases_of_the_dead(Span.objects.owned_calls())
        interrupt_stopped_calls(call_ids)
        if running_calls.closing:
            return
        for call_id in reap_calls():
            self._pool.submit(_logged, execute, call_id)

    def end_tasks(self) -> None:
        """Does not wait for the export, whose collector may hang."""
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
    """Logs an error, for a thread whose result is not read. The timer starts the work again."""
    try:
        function(*args, **kwargs)
    except Exception:
        logger.exception("%s%s failed", function.__name__, args)


def end_leases_of_the_dead(owned: QuerySet[Any]) -> None:
    """Ends the leases of processes of this machine that were killed, before they expire."""
    now = timezone.now()
    leased = owned.filter(lease_expires__gt=now).exclude(owner="")
    for owner in set(leased.values_list("owner", flat=True)):
        if is_dead(owner):
            logger.warning("Process %s is gone; what it ran is taken over", owner)
            owned.filter(owner=owner).update(lease_expires=now)


def renew_calls(call_ids: list[int]) -> None:
    if call_ids:
        owned = Span.objects.filter(pk__in=call_ids, owner=process_name())
        owned.update(lease_expires=timezone.now() + MAX_LEASE)


def reap_calls() -> list[int]:
    """The approved calls without an owner that do not wait for a slot. A call whose worker died
    after it was sent becomes approved again if it is idempotent; otherwise its outcome is unknown,
    and its turn is rung."""
    now = timezone.now()
    calls = Span.objects.owned_calls().filter(trace__in=Turn.objects.open().values("trace"))
    lost = calls.filter(status__in=SENT_STATES, lease_expires__lt=now)
    for call in lost.select_related("trace__turn__conversation__archive", "parent"):
        resolve_lost_call(call)
    unclaimed = Q(owner="", created__lt=now - RING_LOST) | Q(lease_expires__lt=now)
    approved = calls.filter(unclaimed, status=Span.Status.APPROVED)
    rows = approved.order_by("id").values_list("pk", flat=True)
    max_rows = MAX_RESUMED_TURNS + tools_worker.waiting
    return list(itertools.filterfalse(tools_worker.is_waiting, rows[:max_rows]))[:MAX_RESUMED_TURNS]


def resolve_lost_call(call: Span) -> bool:
    """Decides about a call whose worker died after it was sent, by compare-and-set."""
    turn_id = call.trace.turn.pk
    idempotent = bool(call.idempotent)
    with transaction.atomic():
        if not wake(turn_id):
            return False
        unchanged = Span.objects.filter(
            pk=call.pk, token=call.token, status__in=SENT_STATES, lease_expires__lt=timezone.now()
        )
        status = Span.Status.APPROVED if idempotent else Span.Status.OUTCOME_UNKNOWN
        ended = None if idempotent else timezone.now()
        # The lease stays expired: a call that may run again is found by this same beat.
        is_resolved = unchanged.update(status=status, owner="", token=F("token") + 1, ended=ended)
        if is_resolved:
            questions.close_all([call.pk])
            call.status, call.ended = status, ended
            shown = None if idempotent else WORKER_GONE
            if shown is not None:
                store_shown(call.trace.turn, {call: shown})
            after_commit(partial(_announce, call, shown))
            after_commit(partial(doorbell.ring_turn, turn_id, call.trace.turn.counted_user_id))
        return bool(is_resolved)


def _announce(call: Span, shown: str | None) -> None:
    """The event of the state of a lost call."""
    assert call.parent is not None
    turn = call.trace.turn
    event = events.call_event(turn, call.parent.number, call, "", shown)
    events.emit(turn.conversation.public_id, event)
    subagents.announce_progress(turn)
