"""What a round is compared with: the model call before it, or any other of the same archive."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef, QuerySet

from db.public_ids import parse_public_id
from limits.trace_pages import MAX_BASELINES
from tracing.journal.trace_rounds import Round
from tracing.models import Span, Trace
from tracing.page.view_options import TraceViewOptions

_DONE = Span.Status.SUCCEEDED
_PLACE = re.compile(r"([0-9]{1,9})(?:\.([0-9]{1,9}))?", re.ASCII)


@dataclass(frozen=True)
class Baseline:
    """`turn` is the trace of the generation; `turns` are those that it may be chosen from.

    `before` is the model call before this round, whatever was chosen. `missing`: the model call
    that the options name does not exist. `compactions` are those recorded since `generation`.
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
        """The round that it is in."""
        parent = self.generation.parent if self.generation else None
        return parent.number if parent else 0


def find(
    trace: Trace, round_: Round, generation: Span | None, options: TraceViewOptions
) -> Baseline:
    """What the wish names, else the model call before this round."""
    turns = list(_turns(trace))
    before = generation_before(trace, round_.number)
    if not (options.against or options.turn):
        made = _between(trace, before, round_.span) if before else []
        turn = before.trace if before else None
        return Baseline(before, before, turn, turns=turns, compactions=made)
    other = _turn(trace, options.turn)
    chosen = _chosen(other, options.against) if other else None
    missing = chosen is None or chosen == generation
    if missing or chosen is None or generation is None:
        return Baseline(before, None, other, True, missing, turns)
    made = _between(trace, chosen, generation)
    return Baseline(before, chosen, other, True, missing, turns, made)


def _between(trace: Trace, earlier: Span, later: Span) -> list[Span]:
    """The compactions between two spans of an archive."""
    made = Span.objects.filter(
        trace__archive=trace.archive_id, kind=Span.Kind.COMPACTION, status=_DONE
    )
    return list(made.filter(pk__gt=earlier.pk, pk__lt=later.pk).order_by("pk"))


def _turns(trace: Trace) -> QuerySet[Trace]:
    """The newest of the same archive: no other conversation's are named here."""
    others = Trace.objects.filter(archive_id=trace.archive_id).exclude(pk=trace.pk)
    return others.only("public_id", "name", "started", "archive_id").order_by("-pk")[:MAX_BASELINES]


def _turn(trace: Trace, text: str) -> Trace | None:
    if not text:
        return trace
    wanted, turns = parse_public_id(text), Trace.objects.filter(archive_id=trace.archive_id)
    return turns.filter(public_id=wanted).first() if wanted else None


def _chosen(turn: Trace, against: str) -> Span | None:
    """The attempt that `3.1` names, the last one of the round `3`, or of all."""
    generations = _generations().filter(trace=turn)
    place = _PLACE.fullmatch(against)
    if place is None:
        return None if against else generations.first()
    generations = generations.filter(parent__number=int(place[1]))
    return (generations.filter(number=int(place[2])) if place[2] else generations).first()


def generation_before(trace: Trace, number: int) -> Span | None:
    """The last generation before this round: of the round before, or of the last turn before that
    has any. A summary by hand and a turn that failed early are turns without one."""
    here = _generations().filter(trace=trace, parent__number__lt=number).first()
    if here is not None:
        return here
    earlier = Trace.objects.filter(archive_id=trace.archive_id, pk__lt=trace.pk)
    asked = Exists(_generations().filter(trace=OuterRef("pk")).order_by())
    turn = earlier.filter(asked).order_by("-pk").first()
    return _generations().filter(trace=turn).first() if turn else None


def _generations() -> QuerySet[Span]:
    """Those of rounds, the latest first: a summary's is no step of the conversation."""
    spans = Span.objects.filter(kind=Span.Kind.GENERATION, parent__kind=Span.Kind.ROUND)
    spans = spans.order_by("-id")
    return spans.select_related("parent", "trace")
