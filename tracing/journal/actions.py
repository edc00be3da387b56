"""The actions of people on a turn: written in the transaction of the action, read for the page."""

from typing import Any

from languages.later import later
from tracing.models import Action, Span, Trace
from tracing.models.attributes import call_attributes

WORDS = {
    "stop": later("stopped the turn"),
    "approve": later("approved a call"),
    "deny": later("denied a call"),
    "answer": later("answered a server's question"),
    "decline": later("declined to answer a server"),
    "cancel": later("dismissed a server's question"),
    "note": later("added a message to the running turn"),
    "again": later("sent the message again"),
    "retry": later("had it tried again"),
    "choose": later("chose this answer to go on with"),
    "fork": later("forked the conversation"),
    "playground": later("ran it again in the playground"),
    "feedback": later("rated the answer"),
}


def record(
    trace_id: int | None, kind: str, user_id: int | None, span: Span | None = None, **detail: Any
) -> None:
    """Writes an action inside the caller's transaction; none for a turn without a trace."""
    if trace_id is not None:
        Action.objects.create(
            trace_id=trace_id, kind=kind, user_id=user_id, span=span, detail=detail
        )


def record_once(trace_id: int | None, kind: str, user_id: int | None) -> None:
    """The same, unless it was recorded before. The caller holds a lock that prevents a second
    one."""
    if trace_id is not None and not Action.objects.filter(trace_id=trace_id, kind=kind).exists():
        record(trace_id, kind, user_id)


def of_trace(trace: Trace) -> list[Action]:
    """The actions of a trace in order, in one query."""
    return Action.objects.of_trace(trace.pk)


def action_text(action: Action) -> str:
    """For people: "approved read_query", "stopped the turn"."""
    words = WORDS.get(action.kind, action.kind)
    if action.span is not None and action.kind in ("approve", "deny"):
        name = call_attributes(action.span).get("tool") or action.span.name
        return words.replace("a call", str(name))
    return words
