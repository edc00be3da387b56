"""Connections and calls that people tried from a page."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from db.fields import JSONTextField
from jobs import Job
from limits.mcp import MAX_TRIAL
from limits.tools import MAX_SERVER_CHECK_SILENCE
from tools.encryption import EncryptedJSONField
from tools.errors import Failure
from tools.models.servers import Server
from tools.permissions import AnyUser
from tools.values.advice import advice
from tracing.models import Trace


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
        return f"{self.get_kind_display()} {self.public_id}"

    @property
    def advice(self) -> str:
        """What to do about `error`, where the server is at fault and not its tool."""
        if self.kind == self.Kind.CONNECTION:
            return str((self.found or {}).get("advice", ""))
        failure = Failure.stored(self.error, self.error_kind, self.error_status)
        return advice(failure, self.server.known) if failure and self.server else ""
