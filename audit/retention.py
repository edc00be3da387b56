"""Deletes what is older than the log keeps."""

from audit.models import Event

# Rows of one statement: other writers wait for it.
_AT_ONCE = 5_000


def sweep() -> int:
    """Deletes expired rows; how many."""
    count = 0
    while keys := list(Event.objects.expired().order_by().values_list("pk", flat=True)[:_AT_ONCE]):
        count += Event.objects.filter(pk__in=keys).delete()[0]
    return count
