"""Counts ended traces, outside the turn's own path.

Each is counted exactly once: it is read before the transaction, whose first statement is a
compare-and-set on `Trace.digested`. Processes that count the same trace at once, or are killed
while counting, neither lose nor repeat it.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from django.db import DatabaseError, OperationalError, transaction
from django.utils import timezone

from tracing.models import Facet, FacetValue, Trace, TraceQuerySet
from tracing.search.texts import index_trace
from tracing.stats.aggregates import metrics
from tracing.stats.aggregates.counters import Counters
from tracing.stats.aggregates.metrics import Place
from tracing.stats.aggregates.trace_summary import Summary, bare, summarize

logger = logging.getLogger(__name__)

# Traces in one transaction; bounds how long the write lock is held.
BATCH = 25
# Functions called with each ended trace before it is counted; called again if the process is killed
# before the transaction commits.
STEPS: list[Callable[[Trace], None]] = [index_trace]


def aggregate(trace: Trace) -> None:
    """Counts an ended trace; does nothing if it is counted already."""
    count([_prepared(trace)])


def aggregate_pending(limit: int) -> int:
    """Counts up to `limit` ended traces, oldest first. Returns the number that it looked at."""
    total = 0
    while total < limit:
        pending = list(pending_traces().select_related("archive")[: min(BATCH, limit - total)])
        count([_prepared(trace) for trace in pending])
        total += len(pending)
        if len(pending) < BATCH:
            break
    return total


def pending_traces() -> TraceQuerySet:
    """Ended traces that are not counted yet, oldest first."""
    ended = Trace.objects.filter(digested=None).exclude(status=Trace.Status.RUNNING)
    return ended.order_by("id")


def _prepared(trace: Trace) -> Summary:
    """Runs STEPS and reads the trace. One that cannot be read does not block the others."""
    for step in STEPS:
        try:
            step(trace)
        except DatabaseError:
            raise
        except Exception:
            logger.exception("Trace %s: %s failed", trace.public_id, step.__name__)
    try:
        return summarize(trace)
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
        own = [summary for summary in summaries if _claim(summary)]
        _add_facets(own)
        counters: dict[Place, Counters] = defaultdict(Counters)
        for summary in own:
            ended = summary.trace.ended or summary.trace.started
            for key, amount in summary.counters.items():
                for place in metrics.places(ended, key):
                    counters[place].add(amount)
        metrics.add(counters)


def _claim(summary: Summary) -> bool:
    now = timezone.now()
    return Trace.objects.mark_digested(summary.trace.pk, now, **summary.figures) == 1


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
