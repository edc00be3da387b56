"""The turns that a page of a conversation shows: the last ones, and those around a place.

    gap ─ turns around the place ─ gap ─ the last turns

A gap is a link; the page's script fetches what it stands for as the reader comes near.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import QuerySet
from django.http import QueryDict

from chat.models import Conversation, Turn
from chat.presentation.turns import TurnView, turn_views
from chat.presentation.viewers import OWNER, Viewer
from db.public_ids import parse_public_id
from limits.chat import MAX_LAST_TURNS, MAX_TURNS_A_PAGE


@dataclass(frozen=True)
class Gap:
    """Turns that are not shown: between `after` and `before` (public ids), or all before it."""

    after: UUID | None
    before: UUID

    @property
    def query(self) -> str:
        """Of the page that shows a part of them."""
        return urlencode({"after": self.after} if self.after else {"before": self.before})


@dataclass(frozen=True)
class Segment:
    """Turns without a gap between them, oldest first, after a gap. The last may have no turns."""

    gap: Gap | None
    turns: Sequence[TurnView]


@dataclass(frozen=True)
class Thread:
    segments: Sequence[Segment]
    is_from_start: bool = False
    # The turn that was asked for and is on another branch.
    elsewhere: UUID | None = None

    @property
    def turns(self) -> list[TurnView]:
        return [view for segment in self.segments for view in segment.turns]

    @property
    def has_line(self) -> bool:
        """Whether turns may be in line: the last one was read with that, where there is one."""
        turns = self.turns
        return not turns or bool(getattr(turns[-1].turn, "has_line", True))


@dataclass(frozen=True)
class Place:
    """Which turns are asked for (public ids): around one, before one, or after one."""

    at: UUID | None = None
    before: UUID | None = None
    after: UUID | None = None

    @classmethod
    def read(cls, query: QueryDict) -> "Place":
        """From an address; what is no id counts as absent."""
        return cls(*(parse_public_id(query.get(name)) for name in ("at", "before", "after")))


END = Place()


def thread(conversation: Conversation, place: Place = END, viewer: Viewer = OWNER) -> Thread:
    """The last turns, and before them those at a place that is further back."""
    last = _from_end(Turn.objects.last_shown_in(conversation.pk), MAX_LAST_TURNS)
    last = replace(last, turns=_with_compared(last.turns))
    pages = [last]
    keys, elsewhere = _keys(conversation, place)
    if last.more_before and keys and keys.get(place.at, 0) < last.turns[0].pk:
        earlier = Turn.objects.shown_in(conversation.pk).filter(pk__lt=last.turns[0].pk)
        pages = [_at(earlier, keys, place), last]
    if elsewhere in {turn.public_id for turn in last.turns}:
        elsewhere = None  # it stands beside the last one
    shown = _thread([page for page in pages if page.turns], viewer)
    return replace(shown, elsewhere=elsewhere)


def _with_compared(turns: list[Turn]) -> list[Turn]:
    """With those that are compared with the last one, by their lanes."""
    if not turns or not turns[-1].is_compared:
        return turns
    return [*turns[:-1], *Turn.objects.compared_with(turns[-1]).with_shown_rows()]


def within_gap(
    conversation: Conversation, place: Place, viewer: Viewer = OWNER, *, from_end: bool
) -> Thread:
    """A page of the turns between two others: those around `at`, else the first or the last."""
    keys, _ = _keys(conversation, place)
    turns = Turn.objects.shown_in(conversation.pk)
    if place.after in keys:
        turns = turns.filter(pk__gt=keys[place.after])
    if place.before in keys:
        turns = turns.filter(pk__lt=keys[place.before])
    if place.at is None:
        page = _page(turns, MAX_TURNS_A_PAGE, from_end=from_end)
    elif turns.filter(pk=keys.get(place.at, 0)).exists():
        page = _around(turns, keys[place.at])
    else:
        return Thread([])
    if not page.turns:
        return Thread([])
    first = Gap(place.after, page.turns[0].public_id) if page.more_before else None
    segments = [Segment(first, turn_views(page.turns, viewer))]
    if page.more_after and place.before:
        segments.append(Segment(Gap(page.turns[-1].public_id, place.before), ()))
    return Thread(segments, not page.more_before and place.after not in keys)


@dataclass(frozen=True)
class _Page:
    """Rows, oldest first, and whether there are more on either side."""

    turns: list[Turn]
    more_before: bool = False
    more_after: bool = False


def _thread(pages: Sequence[_Page], viewer: Viewer) -> Thread:
    """All view models are made at once: so the number of queries is that of one page."""
    views = iter(turn_views([turn for page in pages for turn in page.turns], viewer))
    shown = [[next(views) for _ in page.turns] for page in pages]
    segments = [Segment(None, turns) for turns in shown]
    if pages and pages[0].more_before:
        segments[0] = replace(segments[0], gap=Gap(None, pages[0].turns[0].public_id))
    for number, (page, following) in enumerate(pairwise(pages), 1):
        if page.more_after:
            gap = Gap(page.turns[-1].public_id, following.turns[0].public_id)
            segments[number] = replace(segments[number], gap=gap)
    return Thread(segments, is_from_start=not (pages and pages[0].more_before))


def _keys(conversation: Conversation, place: Place) -> tuple[dict[UUID | None, int], UUID | None]:
    """Primary keys of the shown turns that a place names, by public id; and `at`, if it is on
    another branch."""
    named = [one for one in (place.at, place.before, place.after) if one]
    if not named:
        return {}, None
    turns = Turn.objects.filter(conversation=conversation, public_id__in=named)
    rows = list(turns.values_list("public_id", "pk", "is_shown"))
    keys: dict[UUID | None, int] = {public_id: pk for public_id, pk, is_shown in rows if is_shown}
    hidden = {public_id for public_id, _, is_shown in rows if not is_shown}
    return keys, place.at if place.at in hidden else None


def _at(turns: QuerySet[Turn], keys: dict[UUID | None, int], place: Place) -> _Page:
    """The page at a place, of turns that have others after them."""
    if place.at in keys:
        return _around(turns, keys[place.at])
    if place.after in keys:
        page = _page(turns.filter(pk__gt=keys[place.after]), MAX_TURNS_A_PAGE, from_end=False)
        return replace(page, more_before=True)
    before = keys.get(place.before, 0)
    page = _page(turns.filter(pk__lt=before), MAX_TURNS_A_PAGE, from_end=True)
    return replace(page, more_after=turns.filter(pk__gte=before).exists())


def _around(turns: QuerySet[Turn], key: int) -> _Page:
    """A page with a turn in its middle."""
    half = MAX_TURNS_A_PAGE // 2
    until = _page(turns.filter(pk__lte=key), half, from_end=True)
    since = _page(turns.filter(pk__gt=key), half, from_end=False)
    return _Page([*until.turns, *since.turns], until.more_before, since.more_after)


def _page(turns: QuerySet[Turn], count: int, *, from_end: bool) -> _Page:
    rows = list(turns.order_by("-id" if from_end else "id")[: count + 1])
    return _from_end(rows, count) if from_end else _Page(rows[:count], more_after=len(rows) > count)


def _from_end(rows: Sequence[Turn], count: int) -> _Page:
    """Of `count` rows and one more, the latest first."""
    return _Page(list(rows[:count])[::-1], more_before=len(rows) > count)
