"""Facts about a turn from outside its owner: a request to stop, a result.

Each is one transaction whose first statement increments `wakeups` (`wake`), so that an owner that
releases the turn at the same moment notices. The worker is rung on commit; a lost ring costs only
time, because the worker's timer finds such turns.
"""

from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Coalesce, Now

from chat import doorbell
from chat.models import Turn
from db.threads import after_commit
from tracing.journal import actions
from tracing.models import Span


def stop(turn: Turn, by: int | None = None) -> bool:
    """Asks the owner to stop. False if the turn was over already. `by`: the person who asks, the
    conversation's owner if None."""
    with transaction.atomic():
        if not wake(turn.pk, stop_requested=Coalesce("stop_requested", Now())):
            return False
        actions.record_once(turn.trace_id, "stop", by or turn.user_id)
        after_commit(partial(doorbell.ring_turn, turn.pk, turn.counted_user_id))
        after_commit(partial(_ring_calls, turn.pk))
        # Not in the caller's transaction: the end of a subagent's turn locks that one first.
        after_commit(partial(_stop_nested, turn.pk, by))
    return True


def _stop_nested(turn_id: int, by: int | None) -> None:
    for nested in Turn.objects.open().filter(conversation__parent_call__trace__turn=turn_id):
        stop(nested, by)


def _ring_calls(turn_id: int) -> None:
    """Interrupts running calls at once, before the next tick of their worker's timer."""
    running = Span.objects.filter(trace__turn=turn_id, kind=Span.Kind.TOOL).exclude(owner="")
    for call_id in list(running.values_list("pk", flat=True)):
        doorbell.ring_call(call_id)


def wake(turn_id: int, **changes: Any) -> bool:
    """Increments `wakeups`, which locks the turn's row. False if the turn is over."""
    if not changes:
        return Turn.objects.wake(turn_id) == 1
    turn = Turn.objects.open().filter(pk=turn_id)
    return turn.update(wakeups=F("wakeups") + 1, **changes) == 1
