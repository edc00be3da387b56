"""The progress of subagents, for the page of the conversation that began them.

An event has the whole state, never an increment: one that is lost, or comes twice, does no harm.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, TypedDict

from django.utils import timezone
from django.utils.dateparse import parse_datetime

from chat.models import Turn
from limits.chat import MAX_NAMES
from tracing.models import Span
from tracing.models.attributes import call_attributes


class SubagentState(TypedDict):
    """The progress of a subagent, in events and in snapshots (`docs/protocol.md`, `subagent`). Ids
    are public; `conversation` and `subagent` are its conversation and turn."""

    call: str
    conversation: str
    subagent: str
    state: str
    round: int
    calls: list[str]  # names of unfinished calls
    waiting: list[str]  # ids of those that wait for a person
    waits_for: list[str]  # their names
    waiting_ms: int
    tokens_in: int
    tokens_out: int


def subagent_event(turn: Turn, state: SubagentState) -> dict[str, Any]:
    """`subagent`: the state of a subagent that a call of this turn began has changed."""
    return {"type": "subagent", "turn": str(turn.public_id), **state}


def subagent_states(calls: Iterable[int]) -> dict[int, SubagentState]:
    """The states of subagents, by the primary key of their call. Two queries."""
    turns = list(
        Turn.objects.filter(conversation__parent_call__in=list(calls))
        .select_related("conversation__parent_call")
        .order_by("id")
    )
    calls_by_trace = open_calls(turns)
    return {
        turn.conversation.parent_call_id: _state(turn, calls_by_trace[turn.trace_id])
        for turn in turns
        if turn.conversation.parent_call_id is not None
    }


def open_calls(turns: Sequence[Turn]) -> dict[int | None, list[Span]]:
    """The tool calls of open turns that have no result yet, by trace."""
    by_trace: dict[int | None, list[Span]] = defaultdict(list)
    traces = [turn.trace_id for turn in turns if turn.is_open]
    if traces:
        spans = Span.objects.filter(
            trace__in=traces, kind=Span.Kind.TOOL, status__in=Span.OPEN
        ).order_by("id")
        for span in spans:
            by_trace[span.trace_id].append(span)
    return by_trace


def waits_for_person(call: Span) -> bool:
    """Whether a person has to decide on this call or to answer its server. A call that waits for a
    subagent does not wait for a person: the subagent's own calls may."""
    states = (Span.Status.AWAITING_APPROVAL, Span.Status.WAITING)
    return call.status in states and "subagent" not in call_attributes(call)


def _waited_ms(call: Span) -> int:
    """How long the call has waited for the person; of several waits the latest counts."""
    waits = call_attributes(call).get("waits")
    since = (parse_datetime(waits[-1][0]) if waits else None) or call.created
    return max(0, round((timezone.now() - since).total_seconds() * 1000))


def _state(turn: Turn, unfinished: Sequence[Span]) -> SubagentState:
    call = turn.conversation.parent_call
    assert call is not None
    waiting = [span for span in unfinished if waits_for_person(span)]
    return {
        "call": str(call.public_id),
        "conversation": str(turn.conversation.public_id),
        "subagent": str(turn.public_id),
        "state": str(turn.status),
        "round": turn.rounds,
        "calls": [span.name for span in unfinished][:MAX_NAMES],
        "waiting": [str(span.public_id) for span in waiting],
        "waits_for": [span.name for span in waiting][:MAX_NAMES],
        "waiting_ms": max((_waited_ms(span) for span in waiting), default=0),
        "tokens_in": turn.tokens_in,
        "tokens_out": turn.tokens_out,
    }
