"""The feedback on a turn's answer, in its trace: an action that says who gave it and when, and a
facet for the filter of the list. There is one of each at most."""

from collections.abc import Sequence
from typing import NamedTuple

from tracing.journal import actions
from tracing.models import Action, Facet, FacetValue, Trace

KIND = "feedback"


class GivenFeedback(NamedTuple):
    """`rating` is up or down."""

    rating: str
    note: str


def write(trace: Trace | None, user_id: int | None, rating: str, note: str) -> None:
    """Replaces the feedback, in the caller's transaction; nothing for a turn without a trace."""
    if trace is None:
        return
    remove(trace.pk)
    actions.record(trace.pk, KIND, user_id, rating=rating, note=note)
    name = Facet.Name.FEEDBACK
    Facet.objects.create(trace=trace, name=name, value=rating, started=trace.started)
    FacetValue.objects.get_or_create(name=name, value=rating)


def remove(trace_id: int | None) -> None:
    Action.objects.filter(trace=trace_id, kind=KIND).delete()
    Facet.objects.filter(trace=trace_id, name=Facet.Name.FEEDBACK).delete()


def given(recorded: Sequence[Action]) -> GivenFeedback | None:
    """The feedback among the actions of a trace."""
    for action in recorded:
        if action.kind == KIND:
            rating, note = action.detail.get("rating"), action.detail.get("note")
            return GivenFeedback(str(rating), str(note or ""))
    return None
