"""The `snapshot` frame: the complete state of a conversation, with which a client begins."""

import uuid
from dataclasses import asdict
from typing import Any

from django.utils import timezone
from redis.exceptions import RedisError

from chat.agent import share
from chat.events.log import EventId
from chat.events.payloads import (
    call_state,
    compaction_state,
    generation_state,
    question_state,
    turn_state,
)
from chat.events.scripts import LogState, RunningTextState, peek
from chat.events.subagents import SubagentState, subagent_states
from chat.markdown import BlockSplitter, Citations, citations
from chat.models import Conversation, Message, Question, Turn
from languages.shipped import in_language
from tracing.formatting.text import visible
from tracing.models import Span
from tracing.models.attributes import call_attributes


def snapshot(conversation: Conversation) -> tuple[dict[str, Any], EventId | None]:
    """The frame and its cursor. The log is read before the rows: an event in between is applied
    twice, which changes nothing, but none is missed."""
    turns_before = _shown_turns(conversation)
    begun = [turn.public_id for turn in turns_before if not turn.is_in_line]
    log = _log_state(conversation.public_id, begun)
    # Before those that are shown: one that begins in between is not elsewhere.
    open_turns = Turn.objects.open().filter(conversation=conversation).order_by("id")
    opened = list(open_turns.values_list("public_id", flat=True))
    shown = _shown_turns(conversation)
    shown_ids = {turn.public_id for turn in shown}
    turns = [_turn(turn, log.running.get(turn.public_id)) for turn in shown]
    frame = {
        "type": "snapshot",
        "conversation": str(conversation.public_id),
        "cursor": str(log.last) if log.last else None,
        "turns": turns,
        "elsewhere": [str(one) for one in opened if one not in shown_ids],
        **_beside(conversation),
    }
    return frame, log.last


def turn_snapshot(turn: Turn) -> tuple[dict[str, Any], EventId | None]:
    """The frame of one turn alone, shown or not, without the fields beside the turns."""
    public_id = turn.conversation.public_id
    log = _log_state(public_id, [turn.public_id])
    related = ("question", "model", "retry_of", "author", "conversation")
    row = Turn.objects.select_related(*related).get(pk=turn.pk)
    frame = {
        "type": "snapshot",
        "conversation": str(public_id),
        "cursor": str(log.last) if log.last else None,
        "turns": [_turn(row, log.running.get(row.public_id))],
    }
    return frame, log.last


def _beside(conversation: Conversation) -> dict[str, Any]:
    """The fields beside the turns, read again: `conversation` may be as old as its socket."""
    related = ("model__preset", "preset")
    row = Conversation.objects.select_related(*related).filter(pk=conversation.pk).first()
    context = share.of_conversation(row) if row else None
    return {
        "assistant": visible(in_language(row.preset.name)) if row and row.preset else "",
        "todos": row.todos if row else [],
        "context": context.described() if context else None,
    }


def running_text(turn: Turn) -> dict[str, Any] | None:
    """The text of the turn's generation so far, as in a snapshot; None while there is none."""
    if not turn.is_open:
        return None
    log = _log_state(turn.conversation.public_id, [turn.public_id])
    return _running_state(turn, log.running.get(turn.public_id))


def _turn(turn: Turn, running: RunningTextState | None) -> dict[str, Any]:
    if not turn.is_open or turn.is_in_line:
        nothing: dict[str, Any] = {"attempt": None, "running": None}
        none: dict[str, Any] = {"calls": [], "questions": [], "subagents": []}
        return {**turn_state(turn), **nothing, **none, "compaction": None}
    calls = _calls(turn)
    return {
        **turn_state(turn),
        "attempt": _attempt(turn),
        "running": _running_state(turn, running),
        "calls": [call_state(call, call.parent.number if call.parent else 0, "") for call in calls],
        "questions": _questions(turn),
        "subagents": _subagents(calls),
        "compaction": _compaction(turn),
    }


def _subagents(calls: list[Span]) -> list[SubagentState]:
    parents = [call.pk for call in calls if "subagent" in call_attributes(call)]
    return list(subagent_states(parents).values()) if parents else []


def _questions(turn: Turn) -> list[dict[str, Any]]:
    questions = Question.objects.filter(span__trace__turn=turn, state=Question.State.OPEN)
    return [
        question_state(question) for question in questions.select_related("span").order_by("id")
    ]


def _calls(turn: Turn) -> list[Span]:
    """The open calls. The page has them already, but not since when they are open."""
    spans = Span.objects.filter(trace__turn=turn, kind=Span.Kind.TOOL, status__in=Span.OPEN)
    return list(spans.select_related("parent").order_by("id"))


def _attempt(turn: Turn) -> dict[str, Any] | None:
    """The latest generation; a failed one may have a wait before the next."""
    generations = Span.objects.filter(
        trace__turn=turn, kind=Span.Kind.GENERATION, parent__kind=Span.Kind.ROUND
    )
    latest = generations.select_related("parent").order_by("-id").first()
    if latest is None or latest.parent is None:
        return None
    return generation_state(latest, latest.parent.number, _wait_ms(latest))


def _compaction(turn: Turn) -> dict[str, Any] | None:
    """The summary that is being written."""
    running = Span.objects.filter(
        trace__turn=turn, kind=Span.Kind.COMPACTION, status=Span.Status.RUNNING
    ).last()
    return compaction_state(running) if running else None


def _wait_ms(failed: Span) -> int | None:
    """Milliseconds left of the wait for the next attempt."""
    if failed.retry_at is None:
        return None
    return max(0, round((failed.retry_at - timezone.now()).total_seconds() * 1000))


def _shown_turns(conversation: Conversation) -> list[Turn]:
    """Of the shown branch the last ended turn and the open ones, oldest first; with them the turns
    that are compared with the last one."""
    related = ("question", "model", "retry_of", "author")
    turns = Turn.objects.filter(conversation=conversation, is_shown=True).select_related(*related)
    open_turns = list(turns.open().order_by("id"))
    ended = turns.exclude(status__in=Turn.OPEN).order_by("-id").first()
    shown = sorted([*open_turns, *([ended] if ended else [])], key=lambda turn: turn.pk)
    if shown and shown[-1].is_compared:
        compared = Turn.objects.compared_with(shown[-1]).select_related(*related)
        return [*shown[:-1], *compared]
    return shown


def _log_state(conversation: uuid.UUID, turns: list[uuid.UUID]) -> LogState:
    """Empty while Redis is away."""
    try:
        return peek(conversation, turns)
    except RedisError:
        return LogState(None, {})


def _running_state(turn: Turn, text: RunningTextState | None) -> dict[str, Any] | None:
    """A running text's fields, with the Markdown blocks that are whole."""
    if text is None:
        return None
    content = text.parts["content"]
    splitter = BlockSplitter(citations=_citations(turn) if "[" in content else ())
    blocks = [asdict(block) for block in splitter.feed(content)]
    return {**asdict(text), "blocks": {"content": blocks}}


def _citations(turn: Turn) -> Citations:
    """The sources that the running answer may cite."""
    bodies = Message.objects.filter(turn=turn, role=Message.Role.TOOL).order_by("id")
    sources = [body.get("sources") or () for body in bodies.values_list("body", flat=True)]
    return citations.read(source for of_one in sources for source in of_one)
