"""Time between the spans of a round: building the request, storing results, waiting for a worker.

    storing            from an attempt's end until its calls are asked for, or the turn is over;
                       from the last call's end until a wake-up of the turn
    queue              from then until a worker takes up the turn; without a wake-up from the end
    building the request
                       from then until the round's row is written: history, results, context

The round notes when it was taken up in `attributes.taken_up` (`chat.engine.turn.step_times`);
without it, there is no time before the round.
"""

from collections.abc import Iterator
from datetime import datetime

from tracing.journal.time_segments import Kind, TimeSegment, moment
from tracing.journal.trace_rounds import Round
from tracing.models import Span
from tracing.models.attributes import round_attributes


def between(round_: Round) -> Iterator[TimeSegment]:
    """The segments of a round and of the transition to the next one; none is empty."""
    for kind, start, end in [*_opening(round_.span), *_after(round_)]:
        if start is not None and end is not None and start < end:
            yield TimeSegment(kind, start, end)


_Part = tuple[Kind, datetime | None, datetime | None]


def _opening(span: Span) -> Iterator[_Part]:
    rung, step = _taken_up(span)
    yield Kind.QUEUE, rung, step
    yield Kind.CONTEXT, step, span.started


def _after(round_: Round) -> Iterator[_Part]:
    response_end = round_.generations[-1].ended if round_.generations else None
    if round_.calls:
        yield Kind.STORE, response_end, min(call.created for call in round_.calls)
    ends = [call.ended for call in round_.calls]
    results_end = (
        response_end if not ends else None if None in ends else max(end for end in ends if end)
    )
    if round_.next_span is None:
        yield Kind.STORE, results_end, round_.span.ended
    else:
        rung, step = _taken_up(round_.next_span)
        yield (Kind.STORE, results_end, rung) if rung else (Kind.QUEUE, results_end, step)
        yield from _opening(round_.next_span)


def _taken_up(span: Span) -> tuple[datetime | None, datetime | None]:
    pair = round_attributes(span).get("taken_up")
    times = pair if isinstance(pair, dict) else {}
    return moment(times.get("rung")), moment(times.get("step"))
