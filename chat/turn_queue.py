"""The line of turns that wait for an earlier one of their conversation: its order, and who is next.

    running ◄── note ◄── note ◄── message ◄── message          each follows the one before it

A turn is in line while it is `queued` without a wakeup; the end of the turn before it gives it the
first one. All of that happens under the lock of the conversation's row, so that a turn is in line
or begins, and never both.

The places in line are the primary keys of the turns: a branch is in the order of its keys, for
whoever reads it. So a turn that moves gets another key, and those that it passes too; the turns
follow each other by `parent` in the same order, on each branch.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar

from django.db.models import BigIntegerField, Case, F, Value, When
from django.utils import timezone
from django.utils.translation import gettext as _

from chat import doorbell
from chat.errors import Rejected
from chat.events.publishing import emit
from chat.models import Conversation, Message, Turn
from db.threads import after_commit
from tracing.models import Trace

T = TypeVar("T")

# How often a change is made again if another turn begins at the same moment.
TRIES = 5


class Moved(Exception):
    """A turn began or ended while a conversation was being locked."""


def lock_with_running(conversation_id: int) -> bool:
    """Locks a conversation and the turn that runs in it, to change either. In the order in which
    the end of a turn does: the turn, then the conversation. False: it was deleted. Raises `Moved`.
    """
    begun = Turn.objects.begun().filter(conversation=conversation_id)
    running = list(begun.values_list("pk", flat=True))
    # One that has ended meanwhile may be wanted by who has the conversation: it is let go before
    # that is waited for.
    if begun.filter(pk__in=running).update(seen=F("seen")) != len(running):
        raise Moved
    if not Conversation.objects.lock(conversation_id):
        return False
    if begun.exclude(pk__in=running).exists():
        raise Moved
    return True


def settled(change: Callable[[], T]) -> T:
    """Makes a change that may raise `Moved`, again if it does. Raises `Rejected`."""
    for _try in range(TRIES):
        with suppress(Moved):
            return change()
    raise Rejected(_("Other answers began at the same moment. Try again."))


def let_next_begin(conversation: Conversation) -> None:
    """Rings the first turn in line, unless one has begun. A send locks the conversation's row
    first, and so does this: no turn is missed by both."""
    Conversation.objects.touch(conversation.pk, timezone.now())
    first = Turn.objects.next_of(conversation.pk)
    if first is None or first[1] > 0:
        return
    turn_id, _wakeups, author_id = first
    Turn.objects.filter(pk=turn_id).update(wakeups=F("wakeups") + 1, steers=None)
    _record_parent(turn_id)
    # A note whose turn is over is a message like any other.
    Turn.objects.in_line().filter(conversation=conversation.pk).update(steers=None)
    after_commit(partial(doorbell.ring_turn, turn_id, author_id or conversation.owner_id))
    announce(conversation)


def _record_parent(turn_id: int) -> None:
    """Its trace says which turn it follows: the line may have changed since it was sent."""
    rows = Turn.objects.filter(pk=turn_id, trace__isnull=False)
    columns = ("trace", "trace__attributes", "parent__public_id")
    for trace_id, attributes, parent in rows.values_list(*columns):
        current = {**attributes, "parent": str(parent) if parent else None}
        if current != attributes:
            Trace.objects.filter(pk=trace_id).update(attributes=current)


def line_of(conversation_id: int) -> list[Turn]:
    """The turns in line, the first one first."""
    return list(Turn.objects.in_line().filter(conversation=conversation_id).order_by("pk"))


def reorder(order: Sequence[Turn]) -> None:
    """Gives the turns in line, which these are, the places of this order. The turns of a branch
    follow each other in it."""
    parents = {turn.pk: turn.parent_id for turn in order}
    places = sorted(parents)
    if [turn.pk for turn in order] == places:
        return
    take_out(order)  # what was withdrawn from behind one of them cannot follow a greater key
    outer = [parent for parent in parents.values() if parent is not None and parent not in parents]
    if outer and max(outer) > places[0]:
        places = _free_places(order[0], len(order))
    moved = {turn.pk: place for turn, place in zip(order, places, strict=True)}
    moved = {pk: place for pk, place in moved.items() if pk != place}
    # No turn may have a lower key than its parent, not even in the middle of this.
    Turn.objects.filter(pk__in=parents).update(parent=None)
    rename(moved)
    _set_parents(
        {moved.get(pk, pk): moved.get(parent or 0, parent) for pk, parent in _chains(order)}
    )


def rename(places: dict[int, int]) -> None:
    """Gives turns other primary keys, which are free or among those that become free, and tells
    all rows that refer to them."""
    Turn.objects.filter(pk__in=places).update(id=F("id") * -1)
    negative = {-pk: place for pk, place in places.items()}
    Turn.objects.filter(pk__in=negative).update(id=_mapped("id", negative))
    for relation in Turn._meta.related_objects:
        rows = relation.related_model._base_manager
        name = relation.field.attname
        rows.filter(**{f"{name}__in": list(places)}).update(**{name: _mapped(name, places)})


def put_last(turn: Turn, parent: int | None) -> None:
    """Gives a turn the last place, as the next one of the branch that ends with `parent`."""
    (place,) = _free_places(turn, 1)
    take_out([turn])
    Turn.objects.filter(pk=turn.pk).update(parent=None)
    rename({turn.pk: place})
    turn.pk, turn.parent_id = place, parent
    _set_parents({place: parent})


def take_out(turns: Sequence[Turn]) -> None:
    """What follows these turns in line follows those before them from now on."""
    out = {turn.pk: turn.parent_id for turn in turns}
    children = Turn.objects.filter(parent__in=out).exclude(pk__in=out)
    parents: dict[int, int | None] = {}
    for pk, parent in children.values_list("pk", "parent"):
        before: int | None = parent
        while before in out:
            before = out[before]
        parents[pk] = before
    _set_parents(parents)


def put_in(turn: Turn) -> None:
    """Puts a turn that was taken out of the line back in its place; behind the others if they have
    begun since, or if what it followed is deleted."""
    is_apart = turn.parent is not None and turn.parent.deleted is not None
    followers = Turn.objects.filter(parent=turn.parent_id, deleted=None).exclude(pk=turn.pk)
    followers = followers.filter(conversation=turn.conversation_id)
    waiting = followers.in_line().first()
    if waiting is not None and waiting.pk > turn.pk and not is_apart:
        _set_parents({waiting.pk: turn.pk})
    elif is_apart or waiting is not None or followers.filter(is_shown=True).exists():
        put_last(turn, Turn.objects.leaf(turn.conversation_id).pk)


def _chains(order: Sequence[Turn]) -> Iterator[tuple[int, int | None]]:
    """The parent of each turn in this order: of the first of a branch the turn before the line, of
    the others the one before them."""
    parents = {turn.pk: turn.parent_id for turn in order}
    last: dict[int | None, int | None] = {}
    for turn in order:
        outer = parents[turn.pk]
        while outer in parents:
            outer = parents[outer]
        yield turn.pk, last.get(outer, outer)
        last[outer] = turn.pk


def _set_parents(parents: Mapping[int, int | None]) -> None:
    """Of turns that have not begun: each learns when it begins which message it follows."""
    messages = Message.objects.filter(turn__in=parents, parent__isnull=False)
    messages.exclude(parent__turn=F("turn")).update(parent=None)
    first = [pk for pk, parent in parents.items() if parent is None]
    others = {pk: parent for pk, parent in parents.items() if parent is not None}
    if first:
        Turn.objects.filter(pk__in=first).update(parent=None)
    if others:
        Turn.objects.filter(pk__in=others).update(parent=_mapped("id", others))


def _free_places(like: Turn, count: int) -> list[int]:
    """Primary keys after all others: those of rows that are stored and deleted for it."""
    rows = [
        Turn(
            conversation_id=like.conversation_id,
            user_id=like.user_id,
            client_key=f"place-{number}-{like.public_id}",
            status=Turn.Status.STOPPED,
            is_shown=False,
        )
        for number in range(count)
    ]
    stored = Turn.objects.bulk_create(rows)
    places = sorted(turn.pk for turn in stored)
    Turn.objects.filter(pk__in=places).delete()
    return places


def _mapped(name: str, values: Mapping[int, int]) -> Case:
    cases = [When(**{name: old}, then=Value(new)) for old, new in values.items()]
    return Case(*cases, output_field=BigIntegerField())


def announce(conversation: Conversation) -> None:
    """Tells the pages of a conversation its line, after the commit."""
    after_commit(partial(_announce, conversation))


def _announce(conversation: Conversation) -> None:
    line = line_of(conversation.pk)
    turns = [str(turn.public_id) for turn in line]
    notes = [str(turn.public_id) for turn in line if turn.steers_id is not None]
    emit(conversation.public_id, {"type": "queue", "turns": turns, "notes": notes})
