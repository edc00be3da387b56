"""Resources and prompts that people asked servers for."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from db.fields import JSONTextField
from jobs import Job
from limits.tools import MAX_READING_WAIT, MAX_SERVER_CHECK_SILENCE
from tools.models.servers import Server
from tools.permissions import AnyUser


class ReadingQuerySet(models.QuerySet["Reading"]):
    def for_user(self, user: AnyUser) -> "ReadingQuerySet":
        """What this user asked for."""
        return self.filter(user=user.pk)


class Reading(Job):
    """A resource or a prompt that somebody asked a server for; the `tools` worker reads it.

    `wanted` is `{"uri"}` of a resource or `{"name", "arguments"}` of a prompt; `found` is what the
    server answered, as MCP writes it. Short-lived: what came of it is taken once.
    """

    class Kind(models.TextChoices):
        RESOURCE = "resource"
        PROMPT = "prompt"

    taken_within = MAX_READING_WAIT
    silent_within = MAX_SERVER_CHECK_SILENCE

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="readings"
    )
    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="readings")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    wanted = JSONTextField(default=dict)
    # Where a server whose process belongs to a conversation runs.
    workspace = models.CharField(max_length=1000, blank=True, default="")
    found = JSONTextField(null=True, blank=True)

    objects = ReadingQuerySet.as_manager()

    class Meta:
        constraints = (
            *Job.Meta.constraints,
            models.CheckConstraint(
                condition=Q(kind__in=["resource", "prompt"]), name="reading_kind_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.public_id}"
