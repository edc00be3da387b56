"""Conversations in Roundtrip's own format (`docs/conversation-json.md`), in parts of text.

A few hundred messages are in memory at a time, or one attachment, or one round of a trace. Contents
of attachments and traces follow the conversations, so that a reader can take those one by one.
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import Max, Q

from chat.models import Attachment, Compaction, Conversation, LanguageModel, Message, Turn
from db.fields import dump_json
from tracing.export import trace_json
from tracing.journal.trace_rounds import round_numbers
from tracing.models import Trace

FORMAT = "roundtrip-conversations"
VERSION = 1
_ROWS = 200
_RELATED = ("model__provider", "preset", "forked_from", "project")


@dataclass(frozen=True)
class _Bounds:
    """What is exported of a conversation that goes on meanwhile: messages up to this key."""

    conversation: Conversation
    last: int


def export(conversations: Sequence[int], *, with_traces: bool = False) -> Iterator[str]:
    """The document of the conversations with these primary keys; `with_traces` adds the traces of
    their turns, with exact payloads, in the compact form of `docs/trace-json.md`."""
    yield _head()
    yield from _listed(_conversation(one) for one in _each(conversations))
    yield '],"attachments":['
    yield from _listed(_attachments(conversations))
    if with_traces:
        yield '],"traces":['
        yield from _listed(_traces(conversations))
    yield "]}\n"


def _head() -> str:
    exported = datetime.now(UTC).isoformat(timespec="seconds")
    head = {"format": FORMAT, "version": VERSION, "exported": exported, "product": "Roundtrip"}
    return dump_json(head)[:-1] + ',"conversations":['


def _listed(documents: Iterable[Iterator[str]]) -> Iterator[str]:
    for place, document in enumerate(documents):
        yield "," if place else ""
        yield from document


def _each(conversations: Sequence[int]) -> Iterator[Conversation]:
    """Those that are still there, in the order of the keys."""
    for start in range(0, len(conversations), _ROWS):
        some = conversations[start : start + _ROWS]
        related = Conversation.objects.select_related(*_RELATED).prefetch_related("tags")
        rows = related.in_bulk(some)
        yield from (rows[key] for key in some if key in rows)


def _conversation(row: Conversation) -> Iterator[str]:
    last = row.messages.aggregate(last=Max("pk"))["last"] or 0
    bounds = _Bounds(row, last)
    turns = [_turn(turn, bounds) for turn in _turns(bounds)]
    yield dump_json(_about(row) | {"turns": turns})[:-1] + ',"messages":['
    yield from _listed(iter((dump_json(_message(one)),)) for one in _messages(bounds))
    compactions = [_compaction(one) for one in _compactions(bounds)]
    yield "]" + dump_json({"compactions": compactions}).replace("{", ",", 1)[:-1]
    yield ',"subagents":['
    yield from _listed(_conversation(nested) for nested in _nested(row))
    yield "]}"


def _id(row: Any) -> str | None:
    """The public id of a related row."""
    return str(row.public_id) if row is not None else None


def _kept(turn: Turn | None) -> str | None:
    """The public id of a turn, unless a person deleted it and may still restore it."""
    return _id(turn) if turn is not None and turn.deleted is None else None


def _about(row: Conversation) -> dict[str, Any]:
    call = row.parent_call
    return {
        "id": str(row.public_id),
        "title": row.title,
        "named_by": row.named_by,
        "created": time(row.created),
        "updated": time(row.updated),
        "model": _model(row.model),
        "assistant": row.preset.name if row.preset else None,
        "project": row.project.name if row.project else None,
        "tags": sorted(tag.name for tag in row.tags.all()),
        "pinned": time(row.pinned),
        "archived": time(row.archived),
        "settings": {
            "tools": row.tools,
            "skills": row.skills,
            "activated": row.activated,
            "limits": row.limits,
            "instructions": row.instructions,
            "parameters": row.parameters,
        },
        "todos": row.todos,
        "forked_from": _id(row.forked_from),
        "forked_round": row.forked_round,
        **({"call": str(call.public_id)} if call else {}),
    }


def _model(model: LanguageModel | None) -> dict[str, str] | None:
    return {"provider": model.provider.name, "name": model.name} if model else None


def _turns(bounds: _Bounds) -> Iterable[Turn]:
    known = Q(question=None) | Q(question__lte=bounds.last)
    known &= Q(deleted=None)
    rows = ("question", "answer", "parent", "original", "retry_of", "preset", "trace", "feedback")
    related = ("model__provider", "author", *rows)
    turns = bounds.conversation.turns.filter(known).select_related(*related)
    return turns.defer("question__body", "answer__body").order_by("id")


def _turn(turn: Turn, bounds: _Bounds) -> dict[str, Any]:
    has_answer = turn.answer_id is not None and turn.answer_id <= bounds.last
    return {
        "id": str(turn.public_id),
        "parent": _kept(turn.parent),
        "is_shown": turn.is_shown,
        "hidden": time(turn.hidden),
        "original": _kept(turn.original),
        "continues": turn.continues,
        "comparison": str(turn.comparison) if turn.comparison else None,
        "lane": turn.lane,
        "question": _id(turn.question),
        "answer": _id(turn.answer) if has_answer else None,
        "retry_of": _kept(turn.retry_of),
        "model": _model(turn.model),
        "assistant": turn.preset.name if turn.preset else None,
        "author": turn.author_username,
        "status": turn.status,
        "error": turn.error,
        "ceiling": turn.ceiling,
        "rounds": turn.rounds,
        "tokens_in": turn.tokens_in,
        "tokens_out": turn.tokens_out,
        "created": time(turn.created),
        "started": time(turn.started),
        "ended": time(turn.ended),
        "trace": _id(turn.trace),
        "feedback": _feedback(turn),
    }


def _feedback(turn: Turn) -> dict[str, Any] | None:
    feedback = getattr(turn, "feedback", None)
    if feedback is None:
        return None
    changed = time(feedback.changed)
    return {"rating": feedback.rating, "note": feedback.note, "changed": changed}


def _messages(bounds: _Bounds) -> Iterator[Message]:
    """In the order in which they were written, so that a parent comes first."""
    kept = Q(turn=None) | Q(turn__deleted=None)
    rows = bounds.conversation.messages.select_related("parent__turn", "turn")
    rows = rows.defer("parent__body").filter(kept, pk__lte=bounds.last).order_by("pk")
    after = 0
    while some := list(rows.filter(pk__gt=after)[:_ROWS]):
        yield from some
        after = some[-1].pk


def _message(message: Message) -> dict[str, Any]:
    parent = message.parent
    return {
        "id": str(message.public_id),
        "parent": _id(parent) if parent and (_kept(parent.turn) or not parent.turn) else None,
        "turn": _id(message.turn),
        "created": time(message.created),
        "body": message.body,
    }


def _compactions(bounds: _Bounds) -> Iterable[Compaction]:
    kept = Q(upto__turn=None) | Q(upto__turn__deleted=None)
    rows = bounds.conversation.compactions.filter(kept, upto__lte=bounds.last)
    return rows.select_related("upto").defer("upto__body").order_by("id")


def _compaction(compaction: Compaction) -> dict[str, Any]:
    return {
        "kind": compaction.kind,
        "upto": str(compaction.upto.public_id),
        "summary": compaction.summary,
        "created": time(compaction.created),
    }


def _nested(row: Conversation) -> Iterable[Conversation]:
    """The conversations of its subagents."""
    turns = row.turns.filter(deleted=None)
    nested = Conversation.objects.filter(parent_call__trace__turn__in=turns)
    related = nested.select_related("parent_call", *_RELATED).prefetch_related("tags")
    return related.order_by("pk")


def _attachments(conversations: Sequence[int]) -> Iterator[Iterator[str]]:
    for row in _each(conversations):
        kept = Q(message__turn=None) | Q(message__turn__deleted=None)
        keys = Attachment.objects.filter(kept, message__conversation=row).order_by("pk")
        for key in keys.values_list("pk", flat=True):
            attachment = Attachment.objects.filter(pk=key).first()
            if attachment is not None:
                yield iter((dump_json(_attachment(attachment)),))


def _attachment(attachment: Attachment) -> dict[str, Any]:
    return {
        "id": str(attachment.public_id),
        "name": attachment.name,
        "media_type": attachment.media_type,
        "created": time(attachment.created),
        "base64": b64encode(bytes(attachment.content)).decode(),
    }


def _traces(conversations: Sequence[int]) -> Iterator[Iterator[str]]:
    for row in _each(conversations):
        traces = Trace.objects.filter(turn__conversation=row, turn__deleted=None).order_by("pk")
        for trace in traces.select_related("archive", "parent"):
            yield trace_json.document(trace, round_numbers(trace), is_compact=True)


def time(moment: datetime | None) -> str | None:
    """ISO 8601, UTC, microseconds."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds") if moment else None
