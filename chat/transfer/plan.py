"""An imported conversation as rows that are to be stored, by keys of its own."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils import timezone

from chat.llm.messages import Message as CanonicalMessage
from chat.llm.messages import assistant_message, text_of
from chat.models import Conversation, Turn
from chat.transfer.arranging import TurnDraft, arrange
from chat.transfer.draft import Draft, Entry


@dataclass(slots=True)
class PlannedMessage:
    key: str
    parent: str | None
    turn: str | None
    body: CanonicalMessage
    created: datetime


@dataclass(slots=True)
class PlannedTurn:
    """`columns` are those of the row; the others name turns and messages by their keys, a model by
    provider and name, an assistant by name. `feedback` has the columns of its row."""

    key: str
    parent: str | None
    question: str | None
    answer: str | None
    columns: dict[str, Any]
    original: str | None = None
    retry_of: str | None = None
    model: tuple[str, str] | None = None
    assistant: str = ""
    feedback: dict[str, Any] | None = None


@dataclass(slots=True)
class PlannedCompaction:
    kind: str
    upto: str
    summary: str
    created: datetime


@dataclass
class Plan:
    """`columns` are those of the conversation, `project` is the name of its project, `tags` are
    those of its tags. `attachments` are the keys of attachments that its messages refer to, with
    the key of the message; `contents` are names and bytes of those that it has in itself."""

    product: str
    key: str
    title: str
    columns: dict[str, Any]
    messages: list[PlannedMessage]
    turns: list[PlannedTurn]
    compactions: list[PlannedCompaction] = field(default_factory=list)
    model: tuple[str, str] | None = None
    assistant: str = ""
    attachments: dict[str, str] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    project: str = ""
    tags: list[str] = field(default_factory=list)
    contents: dict[str, tuple[str, bytes]] = field(default_factory=dict)

    @property
    def spoken(self) -> int:
        """How many messages are no system prompts."""
        return sum(one.body["role"] != "system" for one in self.messages)

    @property
    def branches(self) -> int:
        """How many turns nothing follows."""
        parents = {one.parent for one in self.turns}
        return sum(one.key not in parents for one in self.turns)


def plan(draft: Draft) -> Plan:
    """The rows of a conversation of another product. Raises BrokenConversation."""
    turns = arrange(draft)
    created = draft.created or min(filter(None, _times(draft)), default=None) or timezone.now()
    updated = draft.updated or max(filter(None, _times(draft)), default=None) or created
    planner = _Planner(created, turns)
    planned = [planner.turn(place, turn) for place, turn in enumerate(turns)]
    return Plan(
        draft.product,
        draft.key,
        draft.title or planner.first_words,
        {
            "created": created,
            "updated": updated,
            "named_by": Conversation.NamedBy.PERSON if draft.title else "",
            "pinned": updated if draft.is_pinned and not draft.is_archived else None,
            "archived": updated if draft.is_archived else None,
        },
        planner.messages,
        planned,
        attachments={
            attachment: planner.keys[entry]
            for attachment, entry in draft.attachments.items()
            if entry in planner.keys
        },
        left_out=draft.left_out,
        tags=draft.tags,
        contents=draft.contents,
    )


def _times(draft: Draft) -> list[datetime | None]:
    return [one.created for one in draft.entries if not one.hidden]


class _Planner:
    """Makes the messages of turn after turn; an entry that several turns have is copied."""

    def __init__(self, created: datetime, turns: list[TurnDraft]) -> None:
        self._created = created
        self._turns = turns
        self._ends: list[str | None] = []
        self._first_prompts: tuple[list[str], str | None] | None = None
        self.messages: list[PlannedMessage] = []
        # The first message made of each question, by the question's id.
        self.keys: dict[str, str] = {}
        self.first_words = ""

    def turn(self, place: int, turn: TurnDraft) -> PlannedTurn:
        key = str(place)
        before = None if turn.parent is None else self._ends[turn.parent]
        created = self._time_of(turn)
        after = self._prompts(turn, key, before, created)
        asked = turn.question.body if turn.question else _NO_QUESTION
        self.first_words = self.first_words or text_of(asked.get("content"))
        question = self._add(after, key, asked, created)
        if turn.question:
            self.keys.setdefault(turn.question.id, question)
        tail, answer = question, None
        for body, at in _joined(turn.answers):
            tail = self._add(tail, key, body, at or created)
            answer = tail if body["role"] == "assistant" and not body.get("tool_calls") else None
        self._ends.append(tail)
        return PlannedTurn(
            key,
            None if turn.parent is None else str(turn.parent),
            question,
            answer,
            {
                "is_shown": turn.is_shown,
                "status": Turn.Status.DONE if answer else Turn.Status.STOPPED,
                "rounds": sum(one.body["role"] == "assistant" for one in turn.answers),
                "created": created,
            },
            None if turn.original is None else str(turn.original),
            model=_model(turn),
        )

    def _time_of(self, turn: TurnDraft) -> datetime:
        first = turn.question or next(iter(turn.answers), None)
        return (first.created if first else None) or self._created

    def _prompts(
        self, turn: TurnDraft, key: str, before: str | None, created: datetime
    ) -> str | None:
        """The system messages before the question; those of the first turns are of no turn, and
        are there once."""
        ids = [one.id for one in turn.prompts]
        if turn.parent is None and self._first_prompts and self._first_prompts[0] == ids:
            return self._first_prompts[1]
        is_first = turn.parent is None and self._first_prompts is None
        for prompt in turn.prompts:
            before = self._add(before, None if is_first else key, prompt.body, created)
        if is_first:
            self._first_prompts = (ids, before)
        return before

    def _add(
        self, parent: str | None, turn: str | None, body: CanonicalMessage, created: datetime
    ) -> str:
        key = str(len(self.messages))
        self.messages.append(PlannedMessage(key, parent, turn, body, created))
        return key


_NO_QUESTION: CanonicalMessage = {"role": "user", "content": ""}


def _joined(answers: list[Entry]) -> list[tuple[CanonicalMessage, datetime | None]]:
    """The messages of a path; reasoning that stands alone goes to the answer that follows it."""
    joined: list[tuple[CanonicalMessage, datetime | None]] = []
    for entry in answers:
        last = joined[-1][0] if joined else None
        if last is not None and entry.body["role"] == "assistant" and _is_reasoning(last):
            joined.pop()
            joined.append((_with_reasoning(entry.body, last), entry.created))
        else:
            joined.append((entry.body, entry.created))
    return joined


def _is_reasoning(message: CanonicalMessage) -> bool:
    has_text = message.get("content") or message.get("tool_calls")
    return message["role"] == "assistant" and not has_text


def _with_reasoning(message: CanonicalMessage, before: CanonicalMessage) -> CanonicalMessage:
    reasoning = "\n\n".join(
        filter(None, (before.get("reasoning_content"), message.get("reasoning_content")))
    )
    if not reasoning:
        return message
    content = text_of(message.get("content"))
    return assistant_message(content, reasoning, calls=message.get("tool_calls", ()))


def _model(turn: TurnDraft) -> tuple[str, str] | None:
    """The name of the model that answered last; providers of other products are not known."""
    name = next((one.model for one in reversed(turn.answers) if one.model), "")
    return ("", name) if name else None
