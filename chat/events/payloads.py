"""The events of `docs/protocol.md`, made from rows."""

from datetime import datetime
from typing import Any

from django.utils import timezone

from chat.models import Question, Turn
from limits.web import MAX_EVENT_RESULT
from tracing.models import Span
from tracing.models.attributes import call_attributes, compaction_attributes


def turn_event(turn: Turn) -> dict[str, Any]:
    """`turn`: the turn is new or its state changed."""
    return {"type": "turn", **turn_state(turn)}


def turn_state(turn: Turn) -> dict[str, Any]:
    """A turn's fields, in events and in snapshots."""
    return {
        "turn": str(turn.public_id),
        "state": str(turn.status),
        "waits": turn.is_in_line,
        "epoch": turn.epoch,
        "message": str(turn.question.public_id) if turn.question else None,
        "author": turn.author_username,
        "retry_of": str(turn.retry_of.public_id) if turn.retry_of else None,
        "comparison": str(turn.comparison) if turn.is_compared else None,
        "model": str(turn.model) if turn.model else None,
        "error": turn.error or None,
        "rounds": turn.rounds,
        "tokens_in": turn.tokens_in,
        "tokens_out": turn.tokens_out,
        "elapsed_ms": _elapsed_ms(turn.started, turn.ended),
    }


def generation_event(
    turn: Turn, round_number: int, generation: Span, retry_in_ms: int | None = None
) -> dict[str, Any]:
    """`generation`: a model call attempt began or ended."""
    return {
        "type": "generation",
        "turn": str(turn.public_id),
        "epoch": turn.epoch,
        **generation_state(generation, round_number, retry_in_ms),
    }


def generation_state(
    generation: Span, round_number: int, retry_in_ms: int | None
) -> dict[str, Any]:
    """A generation's fields, in events and in snapshots."""
    return {
        "generation": str(generation.public_id),
        "round": round_number,
        "attempt": generation.number,
        "state": str(generation.status),
        "error": generation.error or None,
        "retry_in_ms": retry_in_ms,
    }


def call_event(
    turn: Turn, round_number: int, call: Span, arguments: str, result: str | None = None
) -> dict[str, Any]:
    """`call`: a tool call was proposed or its state changed."""
    state = call_state(call, round_number, arguments, result)
    return {"type": "call", "turn": str(turn.public_id), **state}


def call_state(
    call: Span, round_number: int, arguments: str, result: str | None = None
) -> dict[str, Any]:
    """A call's fields, in events and in snapshots. `elapsed_ms` of a call that waits for a person
    is the wait; `subagent` is the conversation of the subagent that it began, or null."""
    return {
        "round": round_number,
        "call": str(call.public_id),
        "index": call.number,
        "name": call.name,
        "server": call_attributes(call).get("server", ""),
        "arguments": arguments,
        "state": str(call.status),
        "is_error": bool(call_attributes(call).get("is_error")),
        "result": None if result is None else result[:MAX_EVENT_RESULT],
        "elapsed_ms": _elapsed_ms(_shown_start(call), call.ended),
        "subagent": call_attributes(call).get("subagent"),
    }


def question_event(turn: Turn, round_number: int, question: Question) -> dict[str, Any]:
    """`question`: a server asks a person something, or no longer does."""
    return {
        "type": "question",
        "turn": str(turn.public_id),
        "round": round_number,
        **question_state(question),
    }


def question_state(question: Question) -> dict[str, Any]:
    """A question's fields, in events and in snapshots. The server's own state is left out."""
    return {
        "question": str(question.public_id),
        "call": str(question.span.public_id),
        "state": str(question.state),
        "kind": str(question.kind),
        "message": question.message,
        "schema": question.schema,
        "url": question.url or None,
        "expires": question.expires.isoformat() if question.expires else None,
    }


def compaction_event(turn: Turn, compaction: Span) -> dict[str, Any]:
    """`compaction`: messages are being shortened or summarised, or were."""
    return {
        "type": "compaction",
        "turn": str(turn.public_id),
        **compaction_state(compaction),
    }


def compaction_state(compaction: Span) -> dict[str, Any]:
    """A compaction's fields, in events and in snapshots."""
    attributes = compaction_attributes(compaction)
    names = ("layer", "results", "messages", "tokens_before", "tokens_after")
    return {
        "compaction": str(compaction.public_id),
        "state": str(compaction.status),
        **{name: attributes.get(name) for name in names},
        "elapsed_ms": _elapsed_ms(compaction.started, compaction.ended),
    }


def feedback_event(turn: Turn) -> dict[str, Any]:
    """`feedback`: the owner rated the answer, or took the rating back. It does not say how: others
    may follow the conversation."""
    return {"type": "feedback", "turn": str(turn.public_id)}


def progress_event(
    turn: Turn, call: Span, progress: float, total: float | None, message: str
) -> dict[str, Any]:
    """`progress`: the progress of a running call, as its server reports it."""
    return {
        "type": "progress",
        "turn": str(turn.public_id),
        "call": str(call.public_id),
        "progress": progress,
        "total": total,
        "message": message,
    }


def _shown_start(call: Span) -> datetime | None:
    """The moment from which the time of a call is shown."""
    return call.created if call.status == Span.Status.AWAITING_APPROVAL else call.started


def _elapsed_ms(started: datetime | None, ended: datetime | None) -> int:
    if started is None:
        return 0
    return max(0, round(((ended or timezone.now()) - started).total_seconds() * 1000))
