"""The journal of a turn: its spans, as far as the next step depends on them."""

from dataclasses import dataclass, field

from chat.models import Turn
from tracing.models import Span


@dataclass(frozen=True)
class Journal:
    """The turn's latest round, with the attempts and the calls of that round."""

    turn: Turn
    root: Span
    round: Span | None = None
    generations: list[Span] = field(default_factory=list)
    calls: list[Span] = field(default_factory=list)

    @property
    def number(self) -> int:
        """The latest round's number, 0 before the first."""
        return self.round.number if self.round else 0

    @property
    def cut_generations(self) -> tuple[Span, ...]:
        """The attempts that no owner runs any more, if it is read by whoever owns the turn now."""
        running = Span.Status.RUNNING
        return tuple(span for span in self.generations if span.status == running)


def read(turn_id: int) -> Journal:
    """The journal of this turn. The turn's row is read first: the facts that its `wakeups` counts
    are in the spans that are read after it."""
    turn = Turn.objects.for_journal(turn_id)
    assert turn.trace is not None
    turn.set_own_assistant(turn.conversation)
    latest = Span.objects.latest_round(turn.trace.pk)
    for span in filter(None, (latest, latest.parent)):
        span.trace = turn.trace
    if latest.kind == Span.Kind.TURN:
        return Journal(turn, latest)
    root = latest.parent
    assert root is not None
    children = Span.objects.children_of(turn.trace.pk, latest.pk)
    return Journal(
        turn,
        root,
        latest,
        [span for span in children if span.kind == Span.Kind.GENERATION],
        [span for span in children if span.kind == Span.Kind.TOOL],
    )
