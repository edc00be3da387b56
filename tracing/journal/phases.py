"""What a running trace does or waits for, in the words of its head: "waiting for approval".

A person comes first, also where one of its subagents needs them; then that it is being stopped; a
subagent only where nothing else goes on.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q, TextChoices
from django.utils import timezone

from tracing.journal.time_segments import retry_wait
from tracing.models import Action, Span, Trace
from tracing.models.attributes import call_attributes


class Phase(TextChoices):
    """The label is for people."""

    STOPPING = "stopping", "stopping"
    APPROVAL = "approval", "waiting for approval"
    INPUT = "input", "waiting for your input"
    RETRY = "retry", "waiting to try again"
    SUBAGENT = "subagent", "waiting for a subagent"
    SUMMARY = "summary", "making room in the context"
    QUEUED = "queued", "queued"
    RUNNING = "running", "running"


class State(NamedTuple):
    """As the head and a row show it: `status` gives colour and icon."""

    status: str
    word: str


_WAITING = frozenset({Phase.APPROVAL, Phase.INPUT, Phase.RETRY, Phase.SUBAGENT, Phase.QUEUED})
_STATUS = Span.Status


def states(traces: Sequence[Trace]) -> dict[int, State]:
    """The states of those that run, by primary key. Three queries, none if none runs."""
    running = [trace.pk for trace in traces if trace.is_running]
    if not running:
        return {}
    stopped = set(
        Action.objects.filter(trace__in=running, kind="stop").values_list("trace_id", flat=True)
    )
    begun, spans, now = _begun(running), _open_spans(running), timezone.now()
    phases = {pk: _phase(pk, spans, now) if pk in begun else Phase.QUEUED for pk in running}
    phases |= dict.fromkeys(stopped, Phase.STOPPING)
    return {pk: State(_status(phase), str(phase.label)) for pk, phase in phases.items()}


def state(trace: Trace) -> State | None:
    """None of one that has ended."""
    return states([trace]).get(trace.pk)


def _status(phase: Phase) -> str:
    return "waiting" if phase in _WAITING else "running"


def _begun(running: list[int]) -> set[int]:
    """Those that a worker has begun with."""
    steps = Span.objects.filter(trace=OuterRef("pk")).exclude(kind=Span.Kind.TURN)
    traces = Trace.objects.filter(Exists(steps.order_by()), pk__in=running)
    return set(traces.values_list("pk", flat=True))


def _open_spans(running: list[int]) -> dict[int, list[Span]]:
    """The open steps by trace, and those of subagents also by the traces above them; and attempts
    that failed in a round that has not ended."""
    parents = ("trace__parent__trace_id", "trace__parent__trace__parent__trace_id")
    above = Q(trace__in=running)
    for parent in parents:
        above |= Q(**{f"{parent}__in": running})
    failed = Q(kind=Span.Kind.GENERATION, status=_STATUS.FAILED, parent__status=_STATUS.RUNNING)
    spans = Span.objects.filter(above).filter(Q(status__in=Span.OPEN) | failed)
    open_spans: defaultdict[int, list[Span]] = defaultdict(list)
    for span in spans.exclude(kind=Span.Kind.TURN).select_related("trace__parent__trace__parent"):
        open_spans[span.trace_id].append(span)
        for trace in _above(span.trace):
            open_spans[trace].append(span)
    return open_spans


def _above(trace: Trace) -> Iterable[int]:
    if trace.parent is not None:
        yield trace.parent.trace_id
        if trace.parent.trace.parent is not None:
            yield trace.parent.trace.parent.trace_id


def _phase(trace_id: int, spans: dict[int, list[Span]], now: datetime) -> Phase:
    known = spans.get(trace_id, [])
    calls = [span for span in known if span.kind == Span.Kind.TOOL]
    if any(call.status == _STATUS.AWAITING_APPROVAL for call in calls):
        return Phase.APPROVAL
    if any(_waits_for_input(call) for call in calls):
        return Phase.INPUT
    own = [span for span in known if span.trace_id == trace_id]
    if any(span.kind == Span.Kind.COMPACTION and span.is_open for span in own):
        return Phase.SUMMARY
    if any(_is_at_work(span) for span in own):
        return Phase.RUNNING
    if any(span.status == _STATUS.WAITING for span in own):
        return Phase.SUBAGENT
    if any(_waits_to_retry(span, now) for span in own):
        return Phase.RETRY
    return Phase.RUNNING


def _waits_for_input(call: Span) -> bool:
    return call.status == _STATUS.WAITING and "subagent" not in call_attributes(call)


def _is_at_work(span: Span) -> bool:
    """A model call, or a tool's: also one that a worker is about to take."""
    if span.kind == Span.Kind.TOOL:
        return span.status in (_STATUS.SENT, _STATUS.APPROVED, _STATUS.PROPOSED)
    return span.kind == Span.Kind.GENERATION and span.status == _STATUS.RUNNING


def _waits_to_retry(span: Span, now: datetime) -> bool:
    return span.status == _STATUS.FAILED and bool(
        span.ended and (wait := retry_wait(span)) and span.ended + wait > now
    )
