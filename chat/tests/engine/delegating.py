"""Turns that begin subagents, and what the workers do with them, in this thread."""

import json
from typing import Any

from chat.engine.advance import advance
from chat.engine.execute import execute
from chat.models import Turn
from tracing.models import Span


def task(prompt: str, **arguments: Any) -> str:
    """What a person writes so that the stub's model begins a subagent with this prompt."""
    return f"call task {json.dumps({'prompt': prompt, **arguments})}"


def nested(turn: Turn) -> list[Turn]:
    """The turns of its subagents."""
    found = Turn.objects.filter(conversation__parent_call__trace=turn.trace_id)
    return list(found.select_related("conversation").order_by("pk"))


def run(turn: Turn, most: int = 40) -> Turn:
    """What the workers do: everything that is runnable, until nothing is."""
    for _ in range(most):
        waiting = Span.objects.filter(kind=Span.Kind.TOOL, status=Span.Status.APPROVED)
        for call in list(waiting.values_list("pk", flat=True)):
            execute(call)
        for pk in list(Turn.objects.open().order_by("pk").values_list("pk", flat=True)):
            advance(pk)
        turn.refresh_from_db()
        if not turn.is_open:
            return turn
    raise AssertionError("the turn does not come to an end")
