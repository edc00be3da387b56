"""What passed between this program and a server: its health, and what people asked it for."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from db.fields import JSONTextField, SentenceField
from jobs import Job
from limits.mcp import MAX_TRIAL
from limits.tools import MAX_READING_WAIT, MAX_SERVER_CHECK_SILENCE
from tools.encryption import EncryptedJSONField
from tools.errors import Failure
from tools.models.servers import Server
from tools.permissions import AnyUser
from tools.values.advice import advice
from tracing.models import Trace


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
        return f"{self.kind} {self.public_id}"


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


class TrialQuerySet(models.QuerySet["Trial"]):
    def for_user(self, user: AnyUser) -> "TrialQuerySet":
        """What this user tried."""
        return self.filter(user=user.pk)


class Trial(Job):
    """Something tried from a page, in the `tools` worker: a connection, or a call of a tool.

    A connection is that of a registered server, or of what somebody is about to register: `config`
    then says how, and is emptied afterwards. `log` grows while it runs (the form is
    `tools.trials.log.Entry`), `found` is what came of it.
    """

    class Kind(models.TextChoices):
        CONNECTION = "connection"
        CALL = "call"

    taken_within = MAX_SERVER_CHECK_SILENCE
    silent_within = MAX_TRIAL

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="trials",
    )
    server = models.ForeignKey(
        Server, on_delete=models.CASCADE, null=True, blank=True, related_name="trials"
    )
    kind = models.CharField(max_length=12, choices=Kind.choices, default=Kind.CONNECTION)
    # Secret.
    config = EncryptedJSONField(default=dict, blank=True)
    tool = models.CharField(max_length=200, blank=True, default="")
    arguments = models.TextField(blank=True, default="")
    log = JSONTextField(default=list, blank=True)
    found = JSONTextField(null=True, blank=True)
    # Of `error`, where a call failed because of the server and not of its tool: a `Failure`.
    error_kind = models.CharField(max_length=32, blank=True, default="")
    error_status = models.IntegerField(null=True, blank=True)
    trace = models.ForeignKey(
        Trace, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    objects = TrialQuerySet.as_manager()

    class Meta:
        constraints = (
            *Job.Meta.constraints,
            models.CheckConstraint(
                condition=Q(kind__in=["connection", "call"]), name="trial_kind_known"
            ),
        )
        indexes = (
            # The last trials of a server's page, and those that make room for new ones.
            models.Index(fields=["server", "-id"], name="trial_newest"),
            models.Index(fields=["user", "-id"], name="trial_of_user"),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.public_id}"

    @property
    def advice(self) -> str:
        """What to do about `error`, where the server is at fault and not its tool."""
        if self.kind == self.Kind.CONNECTION:
            return str((self.found or {}).get("advice", ""))
        failure = Failure.stored(self.error, self.error_kind, self.error_status)
        return advice(failure, self.server.known) if failure and self.server else ""
