"""Deletions of traces that a worker carries out."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from db.fields import JSONTextField


class Deletion(models.Model):
    """A deletion of more traces than one request deletes.

    `traces`: primary keys of the traces that are left; `total`: how many there were.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="trace_deletions"
    )
    asked = models.DateTimeField(default=timezone.now)
    traces = JSONTextField(default=list)
    total = models.PositiveIntegerField()
    ended = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = (
            # Deletions that are not complete.
            models.Index(fields=["id"], condition=models.Q(ended=None), name="deletion_open"),
        )

    def __str__(self) -> str:
        return f"{self.total} traces, asked {self.asked:%Y-%m-%d %H:%M}"

    @property
    def done(self) -> int:
        return self.total - len(self.traces)
