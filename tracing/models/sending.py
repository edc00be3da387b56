"""The destinations of exported traces."""

from django.db import models


class Collector(models.Model):
    """A destination of exported traces. Traces that ended before `since` are sent on demand only.

    `place`: a hash of its URL, which may contain secrets.
    """

    place = models.CharField(max_length=64, unique=True)
    since = models.DateTimeField()

    def __str__(self) -> str:
        return self.place[:8]
