"""Reading a turn's journal: where it stands, from its spans."""

from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef

from chat.models import Compaction, Turn
from db.prepared import Given, Select
from tracing.models import Span

_TURN = Select(
    lambda: (
        Turn.objects.select_related(
            *("user", "conversation__archive", "question", "trace", "retry_of"),
            *("model__provider", "model__preset", "conversation__preset"),
        )
        # Most conversations are short, and need not look further (`chat.engine.context`).
        .annotate(
            is_compacted=Exists(
                Compaction.objects.filter(conversation=OuterRef("conversation")).order_by()
            )
        )
        .filter(pk=Given("turn"))
    )
)
_LATEST = Select(
    lambda: (
        Span.objects.filter(trace=Given("trace"), kind__in=[Span.Kind.TURN, Span.Kind.ROUND])
        .select_related("parent")
        .order_by("-id")[:1]
    )
)
_CHILDREN = Select(
    lambda: Span.objects.filter(trace=Given("trace"), parent=Given("parent")).order_by("number")
)


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
    turn = _TURN.get(turn=turn_id)
    latest = _LATEST.get(trace=turn.trace_id)
    assert turn.trace is not None
    for span in filter(None, (latest, latest.parent)):
        span.trace = turn.trace
    if latest.kind == Span.Kind.TURN:
        return Journal(turn, latest)
    root = latest.parent
    assert root is not None
    children = _CHILDREN.all(trace=turn.trace_id, parent=latest.pk)
    return Journal(
        turn,
        root,
        latest,
        [span for span in children if span.kind == Span.Kind.GENERATION],
        [span for span in children if span.kind == Span.Kind.TOOL],
    )
