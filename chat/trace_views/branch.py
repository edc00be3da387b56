"""Which branch of its conversation a turn belongs to, as a part of the trace page."""

import uuid
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from chat.commands.branches import Tree
from chat.models import Turn
from limits.chat import MAX_LINKED_BRANCHES
from tracing.models import Trace


@dataclass(frozen=True)
class Branch:
    """One of the turns that begin the branches, with its number from 1."""

    number: int
    trace: Trace
    model: str
    is_own: bool


@dataclass(frozen=True)
class BranchOfTurn:
    """`number` of `count` branches, which begin at turn `place` of the conversation. `branches` are
    those around it; `more` counts the others."""

    number: int
    count: int
    place: int
    is_shown: bool
    branches: list[Branch]

    @property
    def more(self) -> int:
        return self.count - len(self.branches)


@require_safe
def branch(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    """For whoever may see the turn's trace; empty for a conversation with a single branch."""
    turns = Turn.objects.filter(trace__in=Trace.objects.for_user(request.user))
    turn = get_object_or_404(turns.select_related("conversation"), public_id=public_id)
    context = {"branch": branch_of(turn), "comparison": comparison_of(turn)}
    return render(request, "chat/_branch_of_trace.html", context)


def comparison_of(turn: Turn) -> list[Branch]:
    """The answers that were written side by side with that of the turn, itself among them; empty
    if there are none."""
    if turn.comparison is None:
        return []
    beside = Turn.objects.compared_with(turn).select_related("trace", "model")
    return [
        Branch(one.lane + 1, one.trace, str(one.model or ""), one.lane == turn.lane)
        for one in beside
        if one.trace is not None
    ]


def branch_of(turn: Turn) -> BranchOfTurn | None:
    """By the nearest turn before it, or itself, that has others beside it."""
    if not turn.conversation.is_branched:
        return None
    tree = Tree.read(turn.conversation_id)
    path = tree.path(turn.pk)
    for place, pk in zip(range(len(path), 0, -1), path, strict=True):
        beside = tree.beside(pk)
        if len(beside) > 1:
            return _branch(turn, tree, pk, beside, place)
    return None


def _branch(turn: Turn, tree: Tree, own: int, beside: list[int], place: int) -> BranchOfTurn:
    number = beside.index(tree.latest_try(own)) + 1
    first = max(0, min(number - MAX_LINKED_BRANCHES // 2, len(beside) - MAX_LINKED_BRANCHES))
    linked = beside[first : first + MAX_LINKED_BRANCHES]
    rows = Turn.objects.select_related("trace", "model").in_bulk(linked)
    branches = [
        Branch(place, row.trace, str(row.model or ""), place == number)
        for place, row in ((at, rows[pk]) for at, pk in enumerate(linked, first + 1))
        if row.trace is not None
    ]
    return BranchOfTurn(number, len(beside), place, turn.is_shown, branches)
