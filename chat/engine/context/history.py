"""The path of messages from the root of a conversation to the turn's latest one, for the next
request: the branch of the turn, whether it is shown or not. It is read from messages and turns
alone: spans may have been removed."""

from collections.abc import Iterable
from contextlib import suppress
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

    A turn that waited for the one before it learns here which message it follows. Of a conversation
    with several branches the shown one is read, if the turn is on it, or beside its end.
    """
    conversation = turn.conversation
    if conversation.is_branched and (turn.is_shown or turn.is_compared):
        with suppress(_NotOnBranch):
            return _read(turn, Message.objects.bodies_of_branch(conversation.pk, turn.pk))
    return _read(turn, Message.objects.bodies_of(conversation.pk), is_whole=True)


class _NotOnBranch(KeyError):
    """A message of the path was not read: another branch was chosen meanwhile."""


def _read(turn: Turn, rows: Iterable[tuple[Any, ...]], *, is_whole: bool = False) -> History:
    tree = _Tree({row.pk: row for row in (_Row(*values) for values in rows)}, is_whole)
    tail = tree.last.get(turn.pk) or tree.last_until(turn.parent_id)
    path: list[_Row] = []
    pk = tail
    while pk is not None:
        row = tree.row(pk)
        if _has_content(row.body):
            path.append(row)
        pk = row.parent or _attach(row, turn, tree)
    path = _with_one_system_prompt(path[::-1])
    return History(turn, [row.body for row in path], [row.pk for row in path], tail)


class _Tree:
    """The messages of a conversation, or those of a branch (not `is_whole`)."""

    def __init__(self, rows: dict[int, _Row], is_whole: bool) -> None:
        self._rows = rows
        self._is_whole = is_whole
        of_turns = {pk: row.turn for pk, row in rows.items() if row.turn is not None}
        self.first_turn = min(of_turns.values(), default=None)
        first = min(of_turns, default=None)
        before = (pk for pk in rows if first is None or pk < first)
        # The last message of each turn; of None, the last before the first turn.
        self.last: dict[int | None, int | None] = {None: max(before, default=None)}
        self.last.update((turn, pk) for pk, turn in sorted(of_turns.items()))

    def row(self, pk: int) -> _Row:
        if pk not in self._rows:
            raise _NotOnBranch
        return self._rows[pk]

    def last_until(self, turn: int | None) -> int | None:
        """The last message of the branch that ends with this turn. One without messages has only
        written a summary."""
        while turn is not None and turn not in self.last:
            if not self._is_whole:
                raise _NotOnBranch
            turn = Turn.objects.filter(pk=turn).values_list("parent", flat=True).get()
        return self.last.get(turn)


def _with_one_system_prompt(path: list[_Row]) -> list[_Row]:
    """The last of several system prompts comes first; an empty one means that there is none."""
    prompts = [row for row in path if row.body["role"] == "system"]
    others = [row for row in path if row.body["role"] != "system"]
    return [*(row for row in prompts[-1:] if row.body.get("content")), *others]


def _has_content(body: CanonicalMessage) -> bool:
    """Whether the message is sent: an interrupted answer may have nothing but reasoning, and most
    providers refuse an empty message."""
    return body["role"] != "assistant" or bool(body.get("content") or body.get("tool_calls"))


def _attach(row: _Row, turn: Turn, tree: _Tree) -> int | None:
    """Gives a question without a parent the last message of the branch that it follows; the first
    one of its branch that of what is before the first turn."""
    if row.turn is None:
        return None
    parent = turn.parent_id if row.turn == turn.pk else None
    if row.turn not in (turn.pk, tree.first_turn):  # it was stopped while it waited
        parent = Turn.objects.filter(pk=row.turn).values_list("parent", flat=True).get()
    latest = tree.last_until(parent)
    if latest is not None:
        Message.objects.filter(pk=row.pk, parent=None).update(parent=latest)
    return latest
