"""Interrupting the calls of this process whose turn is over or is to stop."""

from collections.abc import Sequence

from django.db.models import Q

from chat.engine.tool_calls.running_calls import running_calls
from chat.models import Turn
from tracing.models import Span


def interrupt_stopped_calls(call_ids: Sequence[int]) -> None:
    """Interrupts those of these running calls whose turn is over or is to stop."""
    for call_id in stopped_calls(call_ids):
        running_calls.interrupt(call_id)


def stopped_calls(call_ids: Sequence[int]) -> list[int]:
    if not call_ids:
        return []
    is_over = ~Q(trace__turn__status__in=Turn.OPEN) | Q(trace__turn__stop_requested__isnull=False)
    return list(Span.objects.filter(is_over, pk__in=call_ids).values_list("pk", flat=True))
