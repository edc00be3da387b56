"""The turns of a link, from the first one: the path to its turn, and of a link that follows its
branch what has come after it since."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from chat.models import Attachment, Conversation, SharedLink, Turn
from chat.models.turns import Leaf


class _Node(NamedTuple):
    pk: int
    parent: int | None
    retry_of: int | None
    is_shown: bool
    hidden: datetime | None
    is_deleted: bool
    waits: bool


def keys(conversation: int, turn: int | None, *, is_single: bool, follows: bool) -> list[int]:
    """Primary keys. Without those that are deleted: none, if nothing of it is left. In one
    query."""
    nodes = _read(conversation)
    if turn is None or turn not in nodes:
        return []
    if is_single:
        return [] if nodes[turn].is_deleted else [turn]
    path = _up(nodes, turn)
    return _down(nodes, path) if follows and path else path


def of_link(link: SharedLink) -> list[int]:
    return keys(
        link.conversation_id,
        link.turn_id,
        is_single=link.is_single,
        follows=not link.is_snapshot,
    )


def turn_of_attachment(key: UUID) -> int | None:
    """The primary key of the turn whose message has it."""
    columns = ("message__turn", "message__asked_turn")
    row = Attachment.objects.filter(public_id=key).values_list(*columns).first()
    return next((pk for pk in row or () if pk is not None), None)


def turn_of_call(key: UUID) -> int | None:
    """The primary key of the turn of a call (the public id of its span); of a subagent's call, that
    of the turn that began the topmost subagent."""
    turns = Turn.objects.select_related("conversation")
    turn = turns.filter(trace__spans__public_id=key).first()
    while turn is not None and (parent := turn.conversation.parent_call_id) is not None:
        turn = turns.filter(trace__spans=parent).first()
    return turn.pk if turn else None


def last_shown(conversation: Conversation) -> Leaf:
    """The end of the branch that the conversation shows, without turns that wait in line."""
    shown = Turn.objects.filter(conversation=conversation, is_shown=True, deleted=None)
    row = shown.exclude(status=Turn.Status.QUEUED, wakeups=0).order_by("-pk").first()
    return Leaf(row.pk, row.public_id) if row else Leaf()


def _read(conversation: int) -> dict[int, _Node]:
    columns = ("pk", "parent", "retry_of", "is_shown", "hidden", "deleted", "status", "wakeups")
    nodes = {}
    for row in Turn.objects.filter(conversation=conversation).order_by("pk").values_list(*columns):
        pk, parent, retry_of, is_shown, hidden, deleted, status, wakeups = row
        waits = status == Turn.Status.QUEUED and not wakeups
        is_deleted = deleted is not None
        nodes[pk] = _Node(pk, parent, retry_of, is_shown, hidden, is_deleted, waits)
    return nodes


def _up(nodes: dict[int, _Node], turn: int) -> list[int]:
    """The path to a turn; what is deleted ends it earlier."""
    path: list[int] = []
    at: int | None = turn
    while at is not None:
        path.append(at)
        at = nodes[at].parent
    path.reverse()
    until = next((place for place, pk in enumerate(path) if nodes[pk].is_deleted), len(path))
    return path[:until]


def _down(nodes: dict[int, _Node], path: list[int]) -> list[int]:
    """The path, and on from its end by the branch that was shown last. A try that took the place of
    the last turn stands for it."""
    usable = [one for one in nodes.values() if not one.is_deleted and not one.waits]
    retries = {one.retry_of: one.pk for one in usable if one.retry_of is not None}
    children: dict[int | None, list[_Node]] = defaultdict(list)
    for one in usable:
        if one.pk not in retries:
            children[one.parent].append(one)
    at = path[-1]
    while at in retries:
        at = retries[at]
    grown = [*path[:-1], at]
    while children[at]:
        at = _latest(children[at])
        grown.append(at)
    return grown


def _latest(nodes: Iterable[_Node]) -> int:
    def recency(one: _Node) -> tuple[bool, float, int]:
        return one.is_shown, one.hidden.timestamp() if one.hidden else 0.0, one.pk

    return max(nodes, key=recency).pk
