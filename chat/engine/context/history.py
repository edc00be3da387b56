"""The path of messages from the root of a conversation to the turn's latest one, for the next
request. It is read from messages alone: spans may have been removed."""

from dataclasses import dataclass
from typing import Any

from chat.llm.messages import Message as CanonicalMessage
from chat.models import Message, Turn


@dataclass
class History:
    """The path, as canonical messages with their rows, and where it ends."""

    turn: Turn
    messages: list[CanonicalMessage]
    pks: list[int]
    tail: int | None

    def append(self, role: str, body: CanonicalMessage, **links: Any) -> Message:
        """Writes a message to the end of this turn."""
        message = Message.objects.insert(
            conversation_id=self.turn.conversation_id,
            turn_id=self.turn.pk,
            parent_id=self.tail,
            role=role,
            body=body,
            **links,
        )
        self.messages.append(body)
        self.pks.append(message.pk)
        self.tail = message.pk
        return message


@dataclass(frozen=True)
class _Row:
    pk: int
    parent: int | None
    turn: int | None
    body: CanonicalMessage


def read(turn: Turn) -> History:
    """The history of a turn, inside the owner's transaction.

    A turn that waited for the one before it learns here which message it follows.
    """
    rows = {row.pk: row for row in _rows(turn)}
    tail = _tail(turn, rows)
    path: list[_Row] = []
    pk: int | None = tail
    while pk is not None:
        row = rows[pk]
        if _has_content(row.body):
            path.append(row)
        pk = row.parent
        # The question of a retry got its parent when it was sent.
        if pk is None and row.turn == turn.pk and turn.retry_of_id is None:
            pk = _attach(row, rows)
    path = _with_one_system_prompt(path[::-1])
    return History(turn, [row.body for row in path], [row.pk for row in path], tail)


def _with_one_system_prompt(path: list[_Row]) -> list[_Row]:
    """The last of several system prompts comes first; an empty one means that there is none."""
    prompts = [row for row in path if row.body["role"] == "system"]
    others = [row for row in path if row.body["role"] != "system"]
    return [*(row for row in prompts[-1:] if row.body.get("content")), *others]


def _tail(turn: Turn, rows: dict[int, _Row]) -> int | None:
    """The latest message of the turn; of a turn without any, that of the turns before it."""
    of_turn = [pk for pk, row in rows.items() if row.turn == turn.pk]
    if of_turn:
        return max(of_turn)
    before = [row for row in rows.values() if (row.turn or 0) < turn.pk]
    return max(before, key=lambda row: (row.turn or 0, row.pk)).pk if before else None


def _has_content(body: CanonicalMessage) -> bool:
    """Whether the message is sent: an interrupted answer may have nothing but reasoning, and most
    providers refuse an empty message."""
    return body["role"] != "assistant" or bool(body.get("content") or body.get("tool_calls"))


def _rows(turn: Turn) -> list[_Row]:
    return [_Row(*row) for row in Message.objects.bodies_of(turn.conversation_id)]


def _attach(question: _Row, rows: dict[int, _Row]) -> int | None:
    """Gives a question without a parent the latest message of the turns before its own."""
    assert question.turn is not None
    before = [row for row in rows.values() if (row.turn or 0) < question.turn]
    if not before:
        return None
    latest = max(before, key=lambda row: (row.turn or 0, row.pk)).pk
    Message.objects.filter(pk=question.pk, parent=None).update(parent=latest)
    return latest
