"""Carries out deletions of more traces than one request deletes."""

from django.utils import timezone

from tracing.models import Deletion
from tracing.retention import removal

BATCH = removal.AT_ONCE


def go_on() -> int:
    """Deletes a batch of the oldest open deletion; how many traces of it are left, 0 if there is
    none. After a crash it is repeated without harm."""
    deletion = Deletion.objects.filter(ended=None).order_by("id").first()
    if deletion is None:
        return 0
    removal.delete(deletion.traces[:BATCH])
    left = deletion.traces[BATCH:]
    ended = None if left else timezone.now()
    Deletion.objects.filter(pk=deletion.pk).update(traces=left, ended=ended)
    return len(left)
