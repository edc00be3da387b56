"""Counts ended traces, outside the turn's own path, many by each statement.

Each is counted exactly once: it is read before the transaction, whose first statement locks those
that are not counted yet (`Trace.digested`). Processes that count the same trace at once, or are
killed while counting, neither lose nor repeat it.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Any

from django.db import DatabaseError, OperationalError, transaction
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from limits.traces import MAX_SPANS_AT_ONCE, MAX_UNCOUNTED_S
from tracing.models import Facet, FacetValue, Span, Trace, TraceQuerySet
from tracing.search.sources import read_spans
from tracing.search.texts import index_trace, index_traces
from tracing.stats.aggregates import metrics
from tracing.stats.aggregates.counters import Counters
from tracing.stats.aggregates.metrics import Place
from tracing.stats.aggregates.trace_summary import Summary, bare, summarize

logger = logging.getLogger(__name__)

# Traces in one transaction; bounds how long the write lock is held.
BATCH = 25
# Running turns up to which ended ones are counted at once: they leave the processor to others.
FEW_TURNS = 4


def aggregate(trace: Trace) -> None:
    """Counts an ended trace; does nothing if it is counted already."""
    count(_read([trace]))


def aggregate_pending(limit: int) -> int:
    """Counts up to `limit` ended traces, oldest first. Returns the number that it looked at."""
    total = 0
    while total < limit:
        pending = _some_pending(min(BATCH, limit - total))
        for batch in _batches(pending):
            count(_read(batch))
        total += len(pending)
        if len(pending) < BATCH:
            break
    return total


def pending_traces() -> TraceQuerySet:
    """Ended traces that are not counted yet, oldest first."""
    ended = Trace.objects.filter(digested=None).exclude(status=Trace.Status.RUNNING)
    return ended.order_by("id")


def is_due() -> bool:
    """Whether ended traces are to be counted now: few run, or one ended some seconds ago."""
    states = {status: (count, first) for status, count, first in Trace.objects.undigested()}
    running, _ = states.pop(Trace.Status.RUNNING, (0, None))
    latest = timezone.now() - timedelta(seconds=MAX_UNCOUNTED_S)
    return bool(states) and (
        running <= FEW_TURNS or any(first is None or first < latest for _, first in states.values())
    )


def _some_pending(max_traces: int) -> list[tuple[Trace, int]]:
    """Traces with their archives, each with the number of its spans."""
    spans = Span.objects.filter(trace=OuterRef("pk")).order_by().values("trace")
    counts = Subquery(spans.annotate(count=Count("pk")).values("count"))
    pending = pending_traces().select_related("archive").annotate(span_count=Coalesce(counts, 0))
    rows: list[Any] = list(pending[:max_traces])
    return [(trace, trace.span_count) for trace in rows]


def _batches(traces: Iterable[tuple[Trace, int]]) -> Iterator[list[Trace]]:
    """Traces with together at most `MAX_SPANS_AT_ONCE` spans, or one."""
    batch: list[Trace] = []
    spans = 0
    for trace, count in traces:
        spans += count
        if batch and spans > MAX_SPANS_AT_ONCE:
            yield batch
            batch, spans = [], count
        batch.append(trace)
    if batch:
        yield batch


def _read(traces: Sequence[Trace]) -> list[Summary]:
    """Indexes the traces and reads their figures; one at a time if that fails for all of them."""
    try:
        spans = read_spans(traces)
        index_traces(traces, spans)
        return [summarize(trace, spans[trace.pk]) for trace in traces]
    except DatabaseError:
        raise
    except Exception:
        return [_read_alone(trace) for trace in traces]


def _read_alone(trace: Trace) -> Summary:
    """One that cannot be read does not block the others."""
    try:
        index_trace(trace)
    except DatabaseError:
        raise
    except Exception:
        logger.exception("Trace %s cannot be indexed", trace.public_id)
    try:
        return summarize(trace, read_spans([trace])[trace.pk])
    except DatabaseError:
        raise
    except Exception:
        logger.exception("Trace %s cannot be read; it is counted as far as it can", trace.public_id)
        return bare(trace)


def count(summaries: Sequence[Summary]) -> None:
    """Counts all; of one with figures that the database rejects, only that it ended."""
    try:
        _count(summaries)
    except OperationalError:  # the database is unavailable: the next run counts them
        raise
    except (DatabaseError, ArithmeticError):
        for summary in summaries:
            try:
                _count([summary])
            except (DatabaseError, ArithmeticError):
                logger.exception("The figures of trace %s cannot be kept", summary.trace.public_id)
                _count([bare(summary.trace)])


def _count(summaries: Iterable[Summary]) -> None:
    with transaction.atomic():
        own = _claim(summaries)
        _add_facets(own)
        counters: dict[Place, Counters] = defaultdict(Counters)
        for summary in own:
            ended = summary.trace.ended or summary.trace.started
            for key, amount in summary.counters.items():
                for place in metrics.places(ended, key):
                    counters[place].add(amount)
        metrics.add(counters)


def _claim(summaries: Iterable[Summary]) -> list[Summary]:
    """Stores the figures of those that are not counted yet, and keeps them locked; which they
    are."""
    by_key = {summary.trace.pk: summary for summary in summaries}
    uncounted = Trace.objects.filter(pk__in=list(by_key), digested=None).order_by("pk")
    keys = uncounted.select_for_update(no_key=True).values_list("pk", flat=True)
    own = [by_key[key] for key in keys]
    now = timezone.now()
    Trace.objects.mark_digested([{"trace": one.trace.pk, "now": now, **one.figures} for one in own])
    return own


def _add_facets(summaries: Iterable[Summary]) -> None:
    facets = [
        Facet(trace=summary.trace, name=name, value=value, started=summary.trace.started)
        for summary in summaries
        for name, value in sorted(summary.facets)
    ]
    Facet.objects.bulk_create(facets, ignore_conflicts=True)
    values = sorted({(facet.name, facet.value) for facet in facets})
    rows = [FacetValue(name=name, value=value) for name, value in values]
    FacetValue.objects.bulk_create(rows, ignore_conflicts=True)
