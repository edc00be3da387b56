"""Reading a turn's journal: where it stands, from its spans."""

from dataclasses import dataclass, field

from chat.models import Turn
from tracing.models import Span


@dataclass(frozen=True)
class Journal:
    """What has been written of a turn: its latest round, that round's attempts and calls."""

    turn: Turn
    root: Span
    round: Span | None = None
    generations: list[Span] = field(default_factory=list)
    calls: list[Span] = field(default_factory=list)

    @property
    def number(self) -> int:
        """The latest round's number, 0 before the first."""
        return self.round.number if self.round else 0


def read(turn_id: int) -> Journal:
    """The journal of this turn. The turn's row is read first: what it counts in `wakeups` stands
    in the journal that follows."""
    turn = Turn.objects.select_related(
        "conversation__archive", "question", "model__provider", "model__preset", "trace"
    ).get(pk=turn_id)
    spans = Span.objects.filter(trace=turn.trace)
    own = spans.filter(kind__in=[Span.Kind.TURN, Span.Kind.ROUND])
    latest = own.select_related("parent", "trace").latest("id")
    if latest.kind == Span.Kind.TURN:
        return Journal(turn, latest)
    root = latest.parent
    assert root is not None
    children = list(spans.filter(parent=latest).order_by("number"))
    return Journal(
        turn,
        root,
        latest,
        [span for span in children if span.kind == Span.Kind.GENERATION],
        [span for span in children if span.kind == Span.Kind.TOOL],
    )
