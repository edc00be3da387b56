"""Indexing traces again that were indexed by older rules, in the background, the newest first."""

import logging
import time

from django.db import DatabaseError

from tracing.models import SearchText, Trace
from tracing.search import index
from tracing.search.texts import index_trace

logger = logging.getLogger(__name__)


def outdated(most: int) -> list[int]:
    """The primary keys of at most so many traces."""
    rows = SearchText.objects.filter(version__lt=index.VERSION).order_by("version", "-trace")
    return list(rows.values_list("pk", flat=True)[:most])


def index_outdated(most: int, seconds: float) -> int:
    """Indexes up to so many of them again, and begins none after so many seconds. How many."""
    until = time.monotonic() + seconds
    done = 0
    for pk in outdated(most):
        _index(pk)
        done += 1
        if time.monotonic() >= until:
            break
    return done


def _index(pk: int) -> None:
    """What cannot be read stays as it is, and does not hold up the others."""
    trace = Trace.objects.select_related("archive").filter(pk=pk).first()
    try:
        if trace is not None:
            index_trace(trace)
            return
    except DatabaseError:
        raise
    except Exception:
        logger.exception("Trace %s cannot be indexed again", pk)
    SearchText.objects.filter(pk=pk).update(version=index.VERSION)
