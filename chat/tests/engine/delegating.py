"""Turns that begin subagents, and what the workers do with them, in this thread."""

import json
from typing import Any

from django.utils import timezone

from chat.engine.tool_calls.execute import execute
from chat.engine.turn.advance import advance
from chat.models import Turn
from tracing.models import Span


def task(prompt: str, **arguments: Any) -> str:
    """What a person writes so that the stub's model begins a subagent with this prompt."""
    return f"call task {json.dumps({'prompt': prompt, **arguments})}"


def nested(turn: Turn) -> list[Turn]:
    """The turns of its subagents."""
    found = Turn.objects.filter(conversation__parent_call__trace=turn.trace_id)
    return list(found.select_related("conversation").order_by("pk"))


def run(turn: Turn, most: int = 40, *, until_waiting: bool = False) -> Turn:
    """What the workers do: everything that is runnable, until the turn is over, or a person has to
    decide."""
    for _ in range(most):
        approved = Span.objects.filter(kind=Span.Kind.TOOL, status=Span.Status.APPROVED)
        calls = list(approved.values_list("pk", flat=True))
        for call in calls:
            execute(call)
        runnable = Turn.objects.runnable(timezone.now()).order_by("pk")
        turns = list(runnable.values_list("pk", flat=True))
        for pk in turns:
            advance(pk)
        turn.refresh_from_db()
        if not turn.is_open or (until_waiting and not calls and not turns):
            return turn
    raise AssertionError("the turn does not come to an end")
