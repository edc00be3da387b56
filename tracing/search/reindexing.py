"""Indexes traces again that older rules indexed, in the background, the newest first."""

import logging
import time

from django.db import DatabaseError

from tracing.models import SearchText, Trace
from tracing.search import index
from tracing.search.texts import index_trace

logger = logging.getLogger(__name__)


def outdated(max_traces: int) -> list[int]:
    """The primary keys of at most `max_traces` traces that older rules indexed."""
    rows = SearchText.objects.filter(version__lt=index.VERSION).order_by("version", "-trace")
    return list(rows.values_list("pk", flat=True)[:max_traces])


def index_outdated(max_traces: int, seconds: float) -> int:
    """Indexes up to `max_traces` of them again, and begins none after `seconds`; how many."""
    until = time.monotonic() + seconds
    count = 0
    for pk in outdated(max_traces):
        _index(pk)
        count += 1
        if time.monotonic() >= until:
            break
    return count


def _index(pk: int) -> None:
    """A trace that cannot be read keeps its index, and is not tried again by this version."""
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
