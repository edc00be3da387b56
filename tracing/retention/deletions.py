"""Deleting what was asked for in the list and was too much for one request."""

from django.utils import timezone

from tracing.models import Deletion
from tracing.retention import removal

BATCH = removal.AT_ONCE


def go_on() -> int:
    """Deletes a batch of the oldest open deletion; how many are left of it, 0 if there is none.

    Who dies over it loses nothing: what is gone already is not deleted again.
    """
    deletion = Deletion.objects.filter(ended=None).order_by("id").first()
    if deletion is None:
        return 0
    removal.delete(deletion.traces[:BATCH])
    left = deletion.traces[BATCH:]
    ended = None if left else timezone.now()
    Deletion.objects.filter(pk=deletion.pk).update(traces=left, ended=ended)
    return len(left)
