"""The controls with which a reader goes from a turn to those beside it: ‹ 2/3 ›.

    parent ─┬─ question A ─┬─ answer 1            under the question: A or B (edited)
            │              └─ answer 2            at the answer's foot: 1 or 2 (regenerated)
            └─ question B ─── answer 3

A turn that was tried again is not counted: its place is that of the try.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from chat.models import Turn


@dataclass(frozen=True)
class Choice:
    """One of several beside each other, from 1; `before` and `after` are the turns to go to, None
    at an end. `is_busy`: on another one of them a turn runs or waits."""

    number: int
    count: int
    before: UUID | None
    after: UUID | None
    is_busy: bool


@dataclass(frozen=True)
class Choices:
    """What can be chosen at a turn; None where there is only one."""

    questions: Choice | None = None
    answers: Choice | None = None


NO_CHOICE = Choices()


@dataclass(frozen=True)
class Sibling:
    pk: int
    public_id: UUID
    parent: int | None
    original: int | None
    is_shown: bool
    hidden: datetime | None

    @property
    def group(self) -> int:
        """Turns of the same group have the same question."""
        return self.original or self.pk

    @property
    def recency(self) -> tuple[bool, float, int]:
        return self.is_shown, self.hidden.timestamp() if self.hidden else 0.0, self.pk


def choices(turns: Sequence[Turn]) -> dict[int, Choices]:
    """By the primary keys of turns of one conversation that were read `with_shown_rows`. No query
    for a conversation without branches."""
    if not turns or not turns[0].conversation.is_branched:
        return {}
    conversation = turns[0].conversation_id
    beside = siblings(conversation, {turn.parent_id for turn in turns})
    busy = _busy(conversation)
    return {turn.pk: _choices(turn.pk, beside[turn.parent_id], busy) for turn in turns}


def siblings(conversation: int, parents: Iterable[int | None]) -> dict[int | None, list[Sibling]]:
    """The children of these turns, oldest first; of None the first turns of the conversation."""
    keys = set(parents)
    of_them = Q(parent__in=keys - {None})
    if None in keys:
        of_them |= Q(parent=None)
    turns = Turn.objects.filter(of_them, conversation=conversation, deleted=None)
    turns = turns.filter(Q(retried_by=None) | Q(retried_by__deleted__isnull=False))
    columns = ("pk", "public_id", "parent", "original", "is_shown", "hidden")
    rows: dict[int | None, list[Sibling]] = defaultdict(list)
    for row in turns.order_by("pk").values_list(*columns):
        rows[row[2]].append(Sibling(*row))
    return rows


def _choices(turn: int, beside: list[Sibling], busy: set[int]) -> Choices:
    groups: dict[int, list[Sibling]] = defaultdict(list)
    for sibling in beside:
        groups[sibling.group].append(sibling)
    own = next((group for group in groups.values() if any(one.pk == turn for one in group)), None)
    if own is None:
        return Choices()
    answers = [[one] for one in own]
    return Choices(
        _choice(list(groups.values()), own, busy),
        _choice(answers, next(one for one in answers if one[0].pk == turn), busy),
    )


def _choice(groups: list[list[Sibling]], own: list[Sibling], busy: set[int]) -> Choice | None:
    if len(groups) < 2:
        return None
    place = groups.index(own)
    before = groups[place - 1] if place else None
    after = groups[place + 1] if place + 1 < len(groups) else None
    return Choice(
        place + 1,
        len(groups),
        _last_shown(before) if before else None,
        _last_shown(after) if after else None,
        any(one.pk in busy for group in groups if group is not own for one in group),
    )


def _last_shown(group: list[Sibling]) -> UUID:
    return max(group, key=lambda one: one.recency).public_id


def _busy(conversation: int) -> set[int]:
    """The turns that are not shown and are open, with all that they follow."""
    hidden = Turn.objects.filter(conversation=conversation, is_shown=False, deleted=None)
    keys = list(hidden.open().values_list("pk", flat=True))
    if not keys:
        return set()
    parents = dict(hidden.values_list("pk", "parent"))
    busy: set[int] = set()
    for key in keys:
        at: int | None = key
        while at in parents and at not in busy:
            busy.add(at)
            at = parents[at]
    return busy
