"""The jobs that this process runs. Its timer says that they are alive, by one UPDATE a kind."""

import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db.models import Q
from django.utils import timezone

from jobs.kinds import Kind
from jobs.models import J, State

BEAT_S = 10.0

_running: set[tuple[Kind[Any], int, int]] = set()  # kind, key and epoch
_lock = threading.Lock()
_last = 0.0


@contextmanager
def keep_alive(kind: Kind[J], job: J) -> Iterator[None]:
    """As long as this lasts, the job runs in this process. For any thread."""
    entry = (kind, job.pk, getattr(job, kind.model.columns.epoch))
    with _lock:
        _running.add(entry)
    try:
        yield
    finally:
        with _lock:
            _running.discard(entry)


def renew(every_s: float = BEAT_S) -> None:
    """Says of the jobs that run here that they are alive, unless that was said lately."""
    global _last
    with _lock:
        if time.monotonic() - _last < every_s:
            return
        _last = time.monotonic()
        entries = list(_running)
    by_kind: dict[Kind[Any], Q] = defaultdict(Q)
    for kind, pk, epoch in entries:
        by_kind[kind] |= Q(("pk", pk), (kind.model.columns.epoch, epoch))
    for kind, own in by_kind.items():
        _renew(kind, own)


def _renew(kind: Kind[Any], own: Q) -> None:
    columns, jobs = kind.model.columns, kind.model._default_manager
    now = {columns.changed: timezone.now()}
    jobs.filter(own, **{columns.state: State.RUNNING}).update(**now)
    if kind.wait_in_line:
        jobs.filter(**{columns.state: State.ASKED}).update(**now)
