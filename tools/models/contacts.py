"""The health history of servers."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from db.fields import SentenceField
from tools.models.servers import Server


class ServerContact(models.Model):
    """One attempt to reach a server: its health history, of which the last ones are kept."""

    class Purpose(models.TextChoices):
        CHECK = "check"
        CALL = "call"

    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="contacts")
    purpose = models.CharField(max_length=8, choices=Purpose.choices, default=Purpose.CHECK)
    at = models.DateTimeField(default=timezone.now)
    succeeded = models.BooleanField()
    latency_ms = models.PositiveIntegerField(null=True, blank=True)
    error = SentenceField(blank=True, default="")

    class Meta:
        ordering = ("-at", "-id")
        constraints = (
            models.CheckConstraint(
                condition=Q(purpose__in=["check", "call"]), name="contact_purpose_known"
            ),
        )
        indexes = (
            # The history of a server, newest first.
            models.Index(fields=["server", "-at"], name="contact_newest"),
        )

    def __str__(self) -> str:
        return f"{self.server} at {self.at}"
