"""What a `tools` worker that is told to end does with the calls that it runs.

    may be run twice, or waits for a person ─► given back at once
    anything else                           ─► ends by itself, or is given back after the time

A call that is given back runs again elsewhere if it is idempotent; else its outcome is unknown.
"""

import logging
import threading
import time
from datetime import timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from chat import doorbell
from chat.engine.tool_calls.running_calls import running_calls
from chat.engine.worker.identity import process_name
from chat.engine.worker.worker_timer import SENT_STATES, resolve_lost_call
from db.threads import after_commit, in_database
from tracing.models import Span

logger = logging.getLogger(__name__)

PAUSE_S = 0.1


def begin() -> threading.Thread:
    """Drains in a thread of its own: signals interrupt whatever the main thread is doing."""
    thread = threading.Thread(target=drain, args=(settings.DRAIN_SECONDS,), name="drain")
    thread.start()
    return thread


def drain(seconds: float) -> None:
    """Returns when no call runs here."""
    deadline = time.monotonic() + seconds
    while calls := running_calls.ids():
        try:
            give_back(calls, is_last=time.monotonic() > deadline)
        except Exception:
            logger.exception("Calls were not handed over; their leases expire")
            return
        time.sleep(PAUSE_S)


def give_back(calls: list[int], is_last: bool) -> None:
    """Gives back those of these running calls that need not be waited for; with `is_last` all."""
    for call_id in in_database(_ours_to_give, calls, is_last):
        if in_database(_give_back, call_id):
            running_calls.interrupt(call_id)


def _ours_to_give(calls: list[int], is_last: bool) -> list[int]:
    ours = Span.objects.filter(pk__in=calls, owner=process_name(), status__in=SENT_STATES)
    rows = ours.values_list("pk", "status", "idempotent")
    return [
        pk
        for pk, status, idempotent in rows
        if is_last or idempotent or status == Span.Status.WAITING
    ]


def _give_back(call_id: int) -> bool:
    """Whether the call was still ours; its lease ends, and it is decided about as a lost one."""
    with transaction.atomic():
        ours = Span.objects.filter(pk=call_id, owner=process_name(), status__in=SENT_STATES)
        if not ours.update(lease_expires=timezone.now() - timedelta(seconds=1)):
            return False
        related = ("trace__turn__conversation__archive", "parent")
        call = Span.objects.select_related(*related).get(pk=call_id)
        user_id = call.trace.turn.counted_user_id
        if is_given := resolve_lost_call(call):
            after_commit(partial(doorbell.ring_call, call_id, user_id))
        return is_given
