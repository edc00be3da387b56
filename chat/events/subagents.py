"""How far subagents are: what the page of the conversation that began them knows of each.

Always the whole of it, never an increment: an event that is lost, or comes twice, does no harm.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from django.utils import timezone
from django.utils.dateparse import parse_datetime

from chat.models import Turn
from tracing.models import Span
from tracing.models.attributes import call_attributes

SHOWN_NAMES = 3


def subagent_event(turn: Turn, state: dict[str, Any]) -> dict[str, Any]:
    """`subagent`: the subagent that a call of this turn began has come further."""
    return {"type": "subagent", "turn": str(turn.public_id), **state}


def subagent_states(calls: Iterable[int]) -> dict[int, dict[str, Any]]:
    """The fields of a subagent, in events and in snapshots, by the row of its call. Two queries."""
    turns = list(
        Turn.objects.filter(conversation__parent_call__in=list(calls))
        .select_related("conversation__parent_call")
        .order_by("id")
    )
    under_way = open_calls(turns)
    return {
        turn.conversation.parent_call_id: _state(turn, under_way[turn.trace_id])
        for turn in turns
        if turn.conversation.parent_call_id is not None
    }


def open_calls(turns: Sequence[Turn]) -> dict[int | None, list[Span]]:
    """The tool calls of open turns that have no result yet, by trace."""
    found: dict[int | None, list[Span]] = defaultdict(list)
    traces = [turn.trace_id for turn in turns if turn.is_open]
    if traces:
        spans = Span.objects.filter(
            trace__in=traces, kind=Span.Kind.TOOL, status__in=Span.OPEN
        ).order_by("id")
        for span in spans:
            found[span.trace_id].append(span)
    return found


def waits_for_person(call: Span) -> bool:
    """Whether a person is to decide on this call or to answer its server. What waits for a
    subagent does not: it is the subagent's own calls that may."""
    asking = (Span.Status.AWAITING_APPROVAL, Span.Status.WAITING)
    return call.status in asking and "subagent" not in call_attributes(call)


def _waited_ms(call: Span) -> int:
    """Since when it waits for the person; of several waits the latest counts."""
    waits = call_attributes(call).get("waits")
    began = (parse_datetime(waits[-1][0]) if waits else None) or call.created
    return max(0, round((timezone.now() - began).total_seconds() * 1000))


def _state(turn: Turn, under_way: Sequence[Span]) -> dict[str, Any]:
    call = turn.conversation.parent_call
    assert call is not None
    waiting = [span for span in under_way if waits_for_person(span)]
    return {
        "call": str(call.public_id),
        "conversation": str(turn.conversation.public_id),
        "subagent": str(turn.public_id),
        "state": str(turn.status),
        "round": turn.rounds,
        "calls": [span.name for span in under_way][:SHOWN_NAMES],
        "waiting": [str(span.public_id) for span in waiting],
        "waits_for": [span.name for span in waiting][:SHOWN_NAMES],
        "waiting_ms": max((_waited_ms(span) for span in waiting), default=0),
        "tokens_in": turn.tokens_in,
        "tokens_out": turn.tokens_out,
    }
