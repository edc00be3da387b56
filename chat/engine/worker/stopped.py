"""Calls whose turn is over or is to stop: what runs of them here is interrupted."""

from collections.abc import Sequence

from django.db.models import Q

from chat.engine.tool_calls.executing import registry
from chat.models import Turn
from tracing.models import Span


def interrupt_stopped(own: Sequence[int]) -> None:
    """Of these calls, which run in this process."""
    for call_id in over(own):
        registry.interrupt(call_id)


def over(own: Sequence[int]) -> list[int]:
    """The calls among `own` whose turn is over or is to stop."""
    if not own:
        return []
    ended = ~Q(trace__turn__status__in=Turn.OPEN) | Q(trace__turn__stop_requested__isnull=False)
    return list(Span.objects.filter(ended, pk__in=own).values_list("pk", flat=True))
