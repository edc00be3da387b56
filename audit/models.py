import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone

from languages.later import later


class Action(models.TextChoices):
    """What was done. The column has no choices: a new action needs no migration."""

    TOKEN_MADE = "token_made", later("Made an API token")
    TOKEN_REVOKED = "token_revoked", later("Revoked an API token")


class Door(models.TextChoices):
    """By what somebody came in."""

    PAGE = "page", later("Page")
    ADMIN = "admin", later("Admin")
    API = "api", later("API")
    GATEWAY = "gateway", later("Gateway")
    MCP = "mcp", "MCP"
    SHELL = "shell", later("Command line")
    WORKER = "worker", later("Worker")


class Event(models.Model):
    """An act of a person or a program. Never changed; deleted by its own retention.

    The names of actor and target are kept as they were, since both may be deleted or renamed.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    when = models.DateTimeField(default=timezone.now)
    action = models.CharField(max_length=40)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    actor_name = models.CharField(max_length=150, blank=True)
    door = models.CharField(max_length=10, choices=Door.choices, default=Door.PAGE)
    address = models.GenericIPAddressField(null=True, blank=True)
    # A word for the kind of thing, its public id (or key), its name.
    target_type = models.CharField(max_length=40, blank=True)
    target_id = models.CharField(max_length=64, blank=True)
    target_name = models.CharField(max_length=200, blank=True)
    detail = models.JSONField(default=dict)

    class Meta:
        ordering = ("-when", "-pk")
        indexes = (
            # The list of admins, newest first, and the deletion of expired rows.
            models.Index(fields=["when"], name="audit_event_by_time"),
            # What one person did.
            models.Index(fields=["actor", "when"], name="audit_event_by_actor"),
            # The filter by action.
            models.Index(fields=["action", "when"], name="audit_event_by_action"),
        )

    def __str__(self) -> str:
        return f"{self.actor_name}: {self.action} {self.target_name}".rstrip()
