"""The baseline of a round: the model call before it, or any other of the same archive."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef, QuerySet

from db.public_ids import parse_public_id
from limits.trace_pages import MAX_BASELINES
from tracing.journal.trace_rounds import Round
from tracing.models import Span, Trace
from tracing.page.view_options import TraceViewOptions

_PLACE = re.compile(r"([0-9]{1,9})(?:\.([0-9]{1,9}))?", re.ASCII)


@dataclass(frozen=True)
class Baseline:
    """`generation` is compared with; `turn` is its trace, and `turns` the traces to choose from.

    `before` is the model call before this round, in any case. `missing`: the model call that the
    options name does not exist. `compactions` are those recorded since `generation`.
    """

    before: Span | None = None
    generation: Span | None = None
    turn: Trace | None = None
    is_chosen: bool = False
    missing: bool = False
    turns: Sequence[Trace] = field(default_factory=list)
    compactions: Sequence[Span] = field(default_factory=list)

    @property
    def number(self) -> int:
        """The number of its round."""
        parent = self.generation.parent if self.generation else None
        return parent.number if parent else 0


def find(
    trace: Trace, round_: Round, generation: Span | None, options: TraceViewOptions
) -> Baseline:
    """The baseline that the options name, else the model call before this round."""
    newest = Trace.objects.newest_of(trace.archive_id)
    turns = [one for one in newest if one.pk != trace.pk][:MAX_BASELINES]
    before = generation_before(trace, round_.number)
    if not (options.against or options.turn):
        compactions = _between(trace, before, round_.span) if before else []
        turn = before.trace if before else None
        return Baseline(before, before, turn, turns=turns, compactions=compactions)
    other = _turn(trace, options.turn)
    chosen = _chosen(other, options.against) if other else None
    missing = chosen is None or chosen == generation
    if missing or chosen is None or generation is None:
        return Baseline(before, None, other, True, missing, turns)
    compactions = _between(trace, chosen, generation)
    return Baseline(before, chosen, other, True, missing, turns, compactions)


def _between(trace: Trace, earlier: Span, later: Span) -> list[Span]:
    """The compactions between two spans of an archive."""
    return Span.objects.compactions_between(trace.archive_id, earlier.pk, later.pk)


def _turn(trace: Trace, text: str) -> Trace | None:
    if not text:
        return trace
    public_id, turns = parse_public_id(text), Trace.objects.filter(archive_id=trace.archive_id)
    return turns.filter(public_id=public_id).first() if public_id else None


def _chosen(turn: Trace, against: str) -> Span | None:
    """The attempt that `3.1` names, the last one of the round `3`, or of all."""
    generations = _generations().filter(trace=turn)
    place = _PLACE.fullmatch(against)
    if place is None:
        return None if against else generations.first()
    generations = generations.filter(parent__number=int(place[1]))
    return (generations.filter(number=int(place[2])) if place[2] else generations).first()


def generation_before(trace: Trace, number: int) -> Span | None:
    """The last generation before this round: of the previous round, or of the latest earlier trace
    of this kind with a generation. A title is none that a turn went on from."""
    previous = Span.objects.generation_before(trace.pk, number)
    if previous is not None:
        previous.trace = trace
        return previous
    earlier = Trace.objects.filter(archive_id=trace.archive_id, kind=trace.kind, pk__lt=trace.pk)
    with_generation = Exists(_generations().filter(trace=OuterRef("pk")).order_by())
    turn = earlier.filter(with_generation).order_by("-pk").first()
    return _generations().filter(trace=turn).first() if turn else None


def _generations() -> QuerySet[Span]:
    """Model calls of rounds with their round and trace, the latest first."""
    return Span.objects.generations_of_rounds().select_related("parent", "trace")
