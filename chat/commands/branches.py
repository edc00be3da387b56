"""Branches: which path through a conversation's tree of turns is shown, and goes on.

    1 ─┬─ 2 ── 3          left when the question of 2 was edited; kept
       └─ 2′ ── 4         shown: the next message follows 4

Everything here runs in a transaction that has locked the turns that run and then the row of the
conversation (`chat.turn_queue.lock_with_running`), in the order in which the end of a turn does: of
two changes the second sees the first, so that the shown turns are always one path from a root to a
leaf.
"""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, partial
from typing import Any, Self

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from chat import events, turn_queue
from chat.errors import Rejected
from chat.models import Conversation, Message, Preset, Turn
from db.threads import after_commit
from languages.shipped import in_language
from tracing.formatting.text import visible

# Primary keys of one UPDATE; SQLite takes 32,766 parameters.
_KEYS_A_STATEMENT = 5_000
_NEVER = datetime.min


@dataclass(frozen=True)
class Node:
    """A turn's place in the tree. `hidden` is when its branch was left last."""

    pk: int
    parent: int | None
    is_shown: bool
    hidden: datetime | None
    # The turn that was tried in its place.
    retried_by: int | None


class Tree:
    """The turns of a conversation by primary key, in one query, without deleted ones."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._nodes = {node.pk: node for node in nodes}
        for pk, node in self._nodes.items():
            if node.retried_by not in self._nodes:  # the try was deleted
                self._nodes[pk] = replace(node, retried_by=None)

    @classmethod
    def read(cls, conversation: int) -> Self:
        turns = Turn.objects.filter(conversation=conversation, deleted=None).order_by("pk")
        columns = ("pk", "parent", "is_shown", "hidden", "retried_by")
        return cls(Node(*row) for row in turns.values_list(*columns))

    def path(self, leaf: int | None) -> list[int]:
        """The turns from this one up to the root."""
        path: list[int] = []
        while leaf is not None:
            path.append(leaf)
            leaf = self._nodes[leaf].parent
        return path

    @cached_property
    def _children(self) -> dict[int | None, list[Node]]:
        """Without the turns that were tried again."""
        children: dict[int | None, list[Node]] = defaultdict(list)
        for node in self._nodes.values():
            if node.retried_by is None:
                children[node.parent].append(node)
        return children

    def latest_try(self, turn: int) -> int:
        """The turn that was tried in the place of this one, else itself."""
        while (later := self._nodes[turn].retried_by) is not None:
            turn = later
        return turn

    def beside(self, turn: int) -> list[int]:
        """The turns with the same parent, itself or its latest try among them, oldest first."""
        return [node.pk for node in self._children[self._nodes[turn].parent]]

    def leaf_below(self, turn: int) -> int:
        """The leaf that was last shown below a turn, else the latest. Of a turn that was tried
        again, that of the latest try."""
        turn = self.latest_try(turn)
        while below := self._children[turn]:
            turn = max(below, key=_recency).pk
        return turn

    def first(self) -> int | None:
        """The first turn that was last shown, else the latest; None without any."""
        return max(self._children[None], key=_recency).pk if self._children[None] else None

    def shown(self) -> set[int]:
        return {node.pk for node in self._nodes.values() if node.is_shown}


def _recency(node: Node) -> tuple[bool, datetime, int]:
    hidden = node.hidden.replace(tzinfo=None) if node.hidden else _NEVER
    return node.is_shown, hidden, node.pk


def switch(conversation: Conversation, public_id: uuid.UUID) -> None:
    """Shows the branch of this turn, and goes on with its assistant; announces both. Raises
    `Rejected`."""
    turn_queue.settled(partial(_switch, conversation, public_id))


def _switch(conversation: Conversation, public_id: uuid.UUID) -> None:
    with transaction.atomic():
        if not turn_queue.lock_with_running(conversation.pk):
            raise Rejected(_("This conversation was deleted."))
        mark(conversation)
        turn = conversation.turns.filter(public_id=public_id, deleted=None).first()
        if turn is None:
            raise Rejected(_("This message does not exist. It may have been deleted."))
        if turn.is_shown:
            return
        tree = Tree.read(conversation.pk)
        leaf = tree.leaf_below(turn.pk)
        _show(tree, leaf)
        after_commit(partial(events.emit, conversation.public_id, branch_event(turn)))
        take_assistant_of(conversation, leaf)


def assistant_event(preset: Preset | None) -> dict[str, Any]:
    """`assistant`: another assistant answers from the next message on."""
    return {"type": "assistant", "name": visible(in_language(preset.name)) if preset else ""}


def branch_event(turn: Turn) -> dict[str, Any]:
    """`branch`: another branch is shown, on which this turn is."""
    return {"type": "branch", "turn": str(turn.public_id)}


def show_below(conversation: int, turn: int | None) -> int | None:
    """Shows the branch that was last shown below a turn; None: of the conversation. Its leaf, None
    without any turn."""
    tree = Tree.read(conversation)
    first = tree.first() if turn is None else turn
    if first is None:
        return None
    leaf = tree.leaf_below(first)
    _show(tree, leaf)
    return leaf


def take_assistant_of(conversation: Conversation, leaf: int) -> None:
    """Goes on with the assistant with which the branch that ends with this turn was left, whose
    system prompt is on the branch; announces it."""
    preset = Preset.objects.filter(pk__in=Turn.objects.filter(pk=leaf).values("preset")).first()
    if conversation.preset_id == (preset.pk if preset else None):
        return
    Conversation.objects.filter(pk=conversation.pk).update(preset=preset)
    after_commit(partial(events.emit, conversation.public_id, assistant_event(preset)))


def mark(conversation: Conversation) -> None:
    """Notes that the conversation has several branches."""
    Conversation.objects.filter(pk=conversation.pk).update(is_branched=True)


def leave_after(conversation: int, parent: int | None) -> None:
    """Shows the branch up to this turn and nothing after it; without one nothing at all. The turns
    that run are locked before the conversation (`chat.turn_queue.lock_with_running`)."""
    shown = Turn.objects.filter(conversation=conversation, is_shown=True)
    if parent is not None and not shown.filter(pk=parent).exists():
        _show(Tree.read(conversation), parent)
        return
    shown.filter(pk__gt=parent or 0).update(is_shown=False, hidden=timezone.now())


def last_message(conversation: int, turn: int | None) -> Message | None:
    """The last message of the branch that ends with this turn; without a turn, of what is before
    the first one. A turn that only wrote a summary has no messages."""
    while turn is not None:
        if (message := Message.objects.last_of_turn(turn)) is not None:
            return message
        turn = Turn.objects.filter(pk=turn).values_list("parent", flat=True).get()
    return Message.objects.filter(conversation=conversation, turn=None).order_by("-id").first()


def shown_prompt(conversation: int) -> str:
    """The system prompt of the shown branch, "" without one."""
    prompts = Message.objects.shown_in(conversation).filter(role=Message.Role.SYSTEM)
    prompt = prompts.first()
    return str(prompt.body.get("content") or "") if prompt else ""


def descendants(turn: Turn) -> list[int]:
    """Primary keys of the turn and of all that follow it, on every branch."""
    nodes = Turn.objects.filter(conversation=turn.conversation_id, pk__gte=turn.pk).order_by("pk")
    below = {turn.pk}
    for pk, parent in nodes.values_list("pk", "parent"):  # a parent comes before its children
        if parent in below:
            below.add(pk)
    return sorted(below)


def _show(tree: Tree, leaf: int) -> None:
    """Shows the path to this turn, and hides what was shown beside it."""
    wanted, before, now = set(tree.path(leaf)), tree.shown(), timezone.now()
    for keys in _parts(before - wanted):
        Turn.objects.filter(pk__in=keys).update(is_shown=False, hidden=now)
    for keys in _parts(wanted - before):
        Turn.objects.filter(pk__in=keys).update(is_shown=True)


def _parts(keys: set[int]) -> Iterator[list[int]]:
    ordered = sorted(keys)
    for start in range(0, len(ordered), _KEYS_A_STATEMENT):
        yield ordered[start : start + _KEYS_A_STATEMENT]
