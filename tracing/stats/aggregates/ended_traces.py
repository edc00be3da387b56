"""Counting ended traces, beside the path of a turn.

Each is counted exactly once: what is read of it is read before, and a compare-and-set on
`Trace.digested` is the first statement of the transaction that writes. Digesters that meet at a
trace, or die over one, neither lose nor repeat it.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from django.db import DatabaseError, OperationalError, transaction
from django.utils import timezone

from tracing.models import Facet, FacetValue, Trace, TraceQuerySet
from tracing.search.texts import index_trace
from tracing.stats.aggregates import metrics
from tracing.stats.aggregates.counters import Tally
from tracing.stats.aggregates.metrics import Place
from tracing.stats.aggregates.trace_summary import Summary, bare, summarize

logger = logging.getLogger(__name__)

# Traces in one transaction: few enough that nobody waits for the write lock.
BATCH = 25
# What else is made of an ended trace. Called before it is counted, so none is left out; more than
# once if a process dies at it. It takes an ended trace.
STEPS: list[Callable[[Trace], None]] = [index_trace]


def digest(trace: Trace) -> None:
    """Counts an ended trace; nothing if it was counted before."""
    count([_prepared(trace)])


def digest_pending(limit: int) -> int:
    """Counts up to so many ended traces, oldest first. Answers how many it looked at."""
    done = 0
    while done < limit:
        waiting = list(undigested().select_related("archive")[: min(BATCH, limit - done)])
        count([_prepared(trace) for trace in waiting])
        done += len(waiting)
        if len(waiting) < BATCH:
            break
    return done


def undigested() -> TraceQuerySet:
    """Ended and not counted yet, oldest first."""
    ended = Trace.objects.filter(digested=None).exclude(status=Trace.Status.RUNNING)
    return ended.order_by("id")


def _prepared(trace: Trace) -> Summary:
    """All that is read of a trace. What cannot be read must not hold up the others."""
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
    """Counts all of them; one with figures that the database refuses, as far as it can."""
    try:
        _count(summaries)
    except OperationalError:  # not for what is in them: another time
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
        claimed = [summary for summary in summaries if _claim(summary)]
        _add_facets(claimed)
        counted: dict[Place, Tally] = defaultdict(Tally)
        for summary in claimed:
            ended = summary.trace.ended or summary.trace.started
            for key, tally in summary.tallies.items():
                for place in metrics.places(ended, key):
                    counted[place].add(tally)
        metrics.add(counted)


def _claim(summary: Summary) -> bool:
    now = timezone.now()
    return Trace.objects.mark_digested(summary.trace.pk, now, **summary.figures) == 1


def _add_facets(summaries: Iterable[Summary]) -> None:
    found = [
        Facet(trace=summary.trace, name=name, value=value, started=summary.trace.started)
        for summary in summaries
        for name, value in sorted(summary.facets)
    ]
    Facet.objects.bulk_create(found, ignore_conflicts=True)
    values = sorted({(facet.name, facet.value) for facet in found})
    known = [FacetValue(name=name, value=value) for name, value in values]
    FacetValue.objects.bulk_create(known, ignore_conflicts=True)
