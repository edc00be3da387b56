"""Where exported traces go, and since when."""

from django.db import models


class Collector(models.Model):
    """A place that traces were sent to. What ended before `since` is not sent by itself.

    `place` is the hash of its URL, which may have secrets in it.
    """

    place = models.CharField(max_length=64, unique=True)
    since = models.DateTimeField()

    def __str__(self) -> str:
        return self.place[:8]
