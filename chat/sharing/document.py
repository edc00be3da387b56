"""What a link shows, as a JSON value: without what the person hid or left out, and with secrets
masked. Pages, copies and snapshots are made of nothing else.

Keys name what a person may hide: of a message its public id, of an attachment too, of a call its
message and position. They stay what they are when retention removes spans, so that a live link goes
on hiding what it hid.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet

from chat.attachments.references import references
from chat.engine.tool_calls.results import edit_note
from chat.llm.messages import text_of
from chat.markdown import citations
from chat.models import Message, SharedLink, Turn
from chat.presentation.attempts import CUT_NOTES, EMPTY_NOTE, notes
from chat.sharing.secret_texts import Masking
from chat.sharing.shapes import (
    SharedAttachment,
    SharedBlock,
    SharedCall,
    SharedDocument,
    SharedMessage,
    SharedRound,
    SharedTurn,
)
from limits.sharing import MAX_SHARED_TEXT
from tracing.formatting.figures import duration
from tracing.models import Span
from tracing.models.attributes import call_attributes, generation_attributes

# URLs, and addresses with or without a port.
_ADDRESS = re.compile(r"\bhttps?://[^\s\"'<>]+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?")


@dataclass
class _Rows:
    """The rows of some turns, by what they belong to."""

    answers: dict[int, list[Message]] = field(default_factory=lambda: defaultdict(list))
    put_in: dict[int, list[Message]] = field(default_factory=lambda: defaultdict(list))
    results: dict[tuple[int, str], str] = field(default_factory=dict)
    sources: dict[tuple[int, str], Any] = field(default_factory=dict)
    calls: dict[str, dict[int, Span]] = field(default_factory=lambda: defaultdict(dict))
    # Turns of subagents, by the primary keys of the calls that began them.
    nested: dict[int, list[Turn]] = field(default_factory=lambda: defaultdict(list))


def document(
    link: SharedLink, masking: Masking, keys: Sequence[int], place: slice = slice(None)
) -> SharedDocument:
    """Of the turns at a place among these (primary keys, in order), as the columns of a link say.
    Without traces. Three queries, three more for each level of subagents, and where something is
    hidden two for each earlier try."""
    turns = list(_turns().filter(pk__in=keys[place]))
    rows = _Rows()
    calls = _read(rows, [turn.pk for turn in turns])
    if link.with_subagents:
        _read_nested(rows, calls)
    maker = _Maker(link, masking, rows, _hidden_keys(link, turns))
    return {
        "title": masking.text(link.title),
        "by": link.owner.get_username() if link.with_name else "",
        "turns": [maker.turn(turn) for turn in turns],
        "first": (place.start or 0) + 1,
        "count": len(keys),
        "texts": [],
    }


def _hidden_keys(link: SharedLink, turns: Sequence[Turn]) -> frozenset[str]:
    """What is hidden of these turns. A question that was tried again has another key, as its
    attachments have: it is hidden if an earlier try of it, or an attachment of that, was."""
    hidden = frozenset(link.redactions)
    again = (
        str(turn.question.public_id)
        for turn in turns
        if hidden and turn.question and not hidden.isdisjoint(_keys_of_tries(turn))
    )
    return hidden.union(again)


def _keys_of_tries(turn: Turn) -> Iterator[str]:
    """Of the questions of the tries before this one, and of their attachments."""
    while (earlier := turn.retry_of) is not None:
        if earlier.question is not None:
            yield str(earlier.question.public_id)
            yield from (str(one.id) for one in references([earlier.question.body]))
        turn = earlier


def _turns() -> QuerySet[Turn]:
    related = ("question", "model__provider", "trace", "conversation")
    return Turn.objects.filter(deleted=None).select_related(*related).order_by("pk")


def _read(rows: _Rows, keys: Sequence[int]) -> list[Span]:
    """Adds the rows of turns; their tool calls."""
    messages = Message.objects.filter(turn__in=keys).select_related("span__parent", "asked_turn")
    for message in messages.order_by("id"):
        _add(rows, message)
    calls = list(Span.objects.filter(trace__turn__in=keys, kind=Span.Kind.TOOL).order_by("id"))
    for span in calls:
        rows.calls[str(call_attributes(span).get("message"))][span.number] = span
    return calls


def _add(rows: _Rows, message: Message) -> None:
    turn = message.turn_id or 0
    if message.role == Message.Role.ASSISTANT:
        rows.answers[turn].append(message)
    elif message.role == Message.Role.USER and not hasattr(message, "asked_turn"):
        rows.put_in[turn].append(message)
    elif message.role == Message.Role.TOOL:
        call_id = str(message.body.get("tool_call_id"))
        rows.results[turn, call_id] = text_of(message.body.get("content"))
        rows.sources[turn, call_id] = message.body.get("sources") or ()


def _read_nested(rows: _Rows, calls: Sequence[Span]) -> None:
    """Adds what subagents did, and those that they began."""
    while begun := [span.pk for span in calls if "subagent" in call_attributes(span)]:
        turns = list(_turns().filter(conversation__parent_call__in=begun))
        for turn in turns:
            rows.nested[turn.conversation.parent_call_id or 0].append(turn)
        calls = _read(rows, [turn.pk for turn in turns])


class _Maker:
    """Makes the entries of a document."""

    def __init__(
        self, link: SharedLink, masking: Masking, rows: _Rows, hidden: frozenset[str]
    ) -> None:
        self._link, self._masking, self._rows, self._hidden = link, masking, rows, hidden

    def turn(self, turn: Turn) -> SharedTurn:
        answers = self._rows.answers[turn.pk]
        put_in = _before(answers, self._rows.put_in[turn.pk])
        is_nested = turn.conversation.parent_call_id is not None
        has_question = turn.question is not None and not turn.continues and not is_nested
        return {
            "question": self._message(turn.question) if has_question and turn.question else None,
            "continues": turn.continues,
            "model": self._text(str(turn.model)) if turn.model else "",
            "status": turn.status,
            "error": without_addresses(self._text(turn.error)),
            "asked": turn.created.isoformat(),
            "rounds": [
                self._round(number, message, put_in[number - 1])
                for number, message in enumerate(answers, 1)
            ],
            "put_in": [self._message(one) for one in put_in[-1]],
            "trace": None,
        }

    def _text(self, text: str) -> str:
        """Masked before it is cut: a cut secret would not be found."""
        return self._masking.text(text)[:MAX_SHARED_TEXT]

    def _message(self, message: Message) -> SharedMessage:
        key = str(message.public_id)
        if key in self._hidden:
            return {"key": key, "text": "", "attachments": [], "is_hidden": True}
        text = self._text(text_of(message.body.get("content")))
        attachments = list(self._attachments(message)) if self._link.with_attachments else []
        return {"key": key, "text": text, "attachments": attachments, "is_hidden": False}

    def _attachments(self, message: Message) -> Iterator[SharedAttachment]:
        for one in references([message.body]):
            is_hidden = str(one.id) in self._hidden
            yield {
                "key": str(one.id),
                "name": "" if is_hidden else self._text(one.name),
                "media_type": "" if is_hidden else one.media_type,
                "size": 0 if is_hidden else one.size,
                "is_hidden": is_hidden,
            }

    def _round(self, number: int, message: Message, put_in: Sequence[Message]) -> SharedRound:
        body, span = message.body, message.span
        is_hidden = str(message.public_id) in self._hidden
        with_reasoning = self._link.with_reasoning and not is_hidden
        number = span.parent.number if span is not None and span.parent is not None else number
        return {
            "key": str(message.public_id),
            "number": number,
            "text": "" if is_hidden else self._text(text_of(body.get("content"))),
            "reasoning": self._reasoning(body) if with_reasoning else "",
            "thought": _thought(span) if with_reasoning else "",
            "refusal": "" if is_hidden else self._text(str(body.get("refusal") or "")),
            "notes": [] if is_hidden else [self._note(one) for one in notes(span, body)],
            "calls": [] if is_hidden else list(self._calls(message)),
            "put_in": [self._message(one) for one in put_in],
            "is_hidden": is_hidden,
        }

    def _reasoning(self, body: Mapping[str, Any]) -> str:
        return self._text(str(body.get("reasoning_content") or ""))

    def _note(self, note: str) -> str:
        """A code, where the sentence is ours: readers have languages of their own."""
        codes = {id(sentence): code for code, sentence in CUT_NOTES.items()}
        code = codes.get(id(note), "empty" if note is EMPTY_NOTE else "")
        return f"note:{code}" if code else self._text(str(note))

    def _calls(self, message: Message) -> Iterator[SharedCall]:
        spans = self._rows.calls.get(str(message.public_id), {})
        for position, call in enumerate(message.body.get("tool_calls") or (), 1):
            yield self._call(message, position, call, spans.get(position))

    def _call(
        self, message: Message, position: int, call: Mapping[str, Any], span: Span | None
    ) -> SharedCall:
        key = f"{message.public_id}.{position}"
        attributes = call_attributes(span) if span else {}
        written = str(call["function"]["arguments"])
        is_hidden = key in self._hidden
        is_shown = self._link.with_results and not is_hidden
        arguments = str(attributes.get("edited_arguments", written))
        return {
            "key": key,
            "span": str(span.public_id) if span else "",
            "server": self._text(str(attributes.get("server") or "")),
            "tool": self._text(str(attributes.get("tool") or call["function"]["name"])),
            "state": _state(span),
            "elapsed": elapsed(span),
            "is_error": bool(span and span.status in ("failed", "denied", "outcome_unknown")),
            "arguments": "" if is_hidden else self._text(arguments),
            "result": self._result(message, call, span) if is_shown else None,
            "blocks": list(_blocks(attributes.get("blocks"), self._masking)) if is_shown else [],
            "sources": list(self._sources(message, call)) if is_shown else [],
            "has_subagent": "subagent" in attributes,
            "nested": [self.turn(one) for one in self._nested(span)] if is_shown else [],
            "is_hidden": is_hidden,
            "is_left_out": not self._link.with_results,
        }

    def _nested(self, span: Span | None) -> list[Turn]:
        return self._rows.nested.get(span.pk, []) if span else []

    def _result(self, message: Message, call: Mapping[str, Any], span: Span | None) -> str | None:
        result = self._rows.results.get((message.turn_id or 0, str(call.get("id"))))
        if result is None:
            return None
        return self._text(result.removeprefix(edit_note(span)) if span else result)

    def _sources(self, message: Message, call: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Without places in files, which are their owner's."""
        stored = self._rows.sources.get((message.turn_id or 0, str(call.get("id"))), ())
        for one in citations.read(stored):
            if one.host:
                title, url = self._text(one.title), self._text(one.url)
                yield {"number": one.number, "title": title, "url": url}


def _before(answers: Sequence[Message], put_in: Sequence[Message]) -> list[list[Message]]:
    """The messages of people before each answer, and after the last one."""
    groups: list[list[Message]] = [[] for _ in range(len(answers) + 1)]
    for message in put_in:
        groups[sum(answer.pk < message.pk for answer in answers)].append(message)
    return groups


def _blocks(blocks: Any, masking: Masking) -> Iterator[SharedBlock]:
    """Images and sounds. Secrets in other files cannot be masked."""
    for one in blocks if isinstance(blocks, list) else ():
        if isinstance(one, dict) and one.get("kind") in ("image", "audio"):
            yield {
                "index": int(one.get("index") or 0),
                "kind": str(one["kind"]),
                "name": masking.text(str(one.get("name") or "")),
                "media_type": masking.text(str(one.get("media_type") or "")),
                "size": int(one.get("size") or 0),
            }


def _thought(generation: Span | None) -> str:
    timings = (generation_attributes(generation).get("timings") or {}) if generation else {}
    reasoning_ms = timings.get("reasoning_ms")
    return duration(float(reasoning_ms)) if reasoning_ms else ""


def _state(span: Span | None) -> str:
    """As cards have it: who reads is nobody whom a call waits for."""
    if span is None:
        return "succeeded"
    waits = span.status in (Span.Status.AWAITING_APPROVAL, Span.Status.WAITING)
    return str(Span.Status.SENT if waits else span.status)


def elapsed(span: Span | None) -> str:
    """How long it took, as people read it; "" while it is open."""
    if span is None or span.started is None or span.ended is None:
        return ""
    return duration((span.ended - span.started).total_seconds() * 1000)


def without_addresses(error: str) -> str:
    """The sentence of an error without the addresses in it: they may be of a private network."""
    return _ADDRESS.sub("…", error)


def keys_of(shared: SharedDocument) -> set[str]:
    """All keys that it names."""
    return {key for turn in shared["turns"] for key in _keys(turn)}


def _keys(turn: SharedTurn) -> Iterator[str]:
    messages = [*turn["put_in"], *([turn["question"]] if turn["question"] else [])]
    for one in turn["rounds"]:
        messages += one["put_in"]
        yield one["key"]
        for call in one["calls"]:
            yield call["key"]
            yield from (key for nested in call.get("nested", []) for key in _keys(nested))
    for message in messages:
        yield message["key"]
        yield from (attachment["key"] for attachment in message["attachments"])
