"""The trace of a turn, probe, trial or title, with the figures that are computed from its spans."""

import uuid
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Count, Min, Q
from django.utils import timezone

from db import prepared
from db.addresses import address
from db.fields import JSONTextField, LabelField
from db.prepared import Change, PreparedQuerySet
from db.users import AnyUser
from languages.later import later
from limits.trace_pages import MAX_BASELINES
from tracing.models.archive import Archive
from tracing.permissions import DELETE_TRACE, holds, may_view_traces


class TraceQuerySet(PreparedQuerySet["Trace"]):
    def for_user(self, user: AnyUser) -> "TraceQuerySet":
        """The traces that this user may see: the user's own, and by permission all."""
        if not user.is_active:
            return self.none()
        return self.all() if may_view_traces(user) else self.filter(owner_id=user.pk)

    def deletable_by(self, user: AnyUser) -> "TraceQuerySet":
        """The traces that this user may delete: the user's own, and by a second permission all."""
        visible = self.for_user(user)
        return visible if holds(user, DELETE_TRACE) else visible.filter(owner_id=user.pk)

    @prepared.rows
    def listed(self, /, **traces: int) -> "models.QuerySet[Trace]":
        """These traces with their owners, in no order."""
        return self.filter(pk__in=list(traces.values())).select_related("owner")

    @prepared.first
    def newest_pk(self) -> "models.QuerySet[Trace, Any]":
        return self.order_by("-pk").values_list("pk", flat=True)[:1]

    @prepared.first
    def turn_before(self, archive: int, trace: int) -> "models.QuerySet[Trace]":
        """The archive's turn before this trace."""
        turns = self.filter(archive=archive, kind=Trace.Kind.TURN, pk__lt=trace)
        return turns.only("public_id", "name").order_by("-pk")[:1]

    @prepared.first
    def turn_after(self, archive: int, trace: int) -> "models.QuerySet[Trace]":
        """The archive's turn after this trace."""
        turns = self.filter(archive=archive, kind=Trace.Kind.TURN, pk__gt=trace)
        return turns.only("public_id", "name").order_by("pk")[:1]

    @prepared.rows
    def newest_of(self, archive: int) -> "models.QuerySet[Trace]":
        """The archive's newest traces, to choose a baseline from: one more than are shown, since
        the trace itself may be among them."""
        traces = self.filter(archive=archive).only("public_id", "name", "started", "archive_id")
        return traces.order_by("-pk")[: MAX_BASELINES + 1]

    @prepared.update
    def end(self, trace: int, status: str, ended: datetime) -> Change:
        return Change(self.filter(pk=trace), status=status, ended=ended)

    @prepared.rows
    def undigested(self) -> "models.QuerySet[Trace, Any]":
        """Of the traces without figures each status, their number, and when the first one
        ended."""
        rows = self.filter(digested=None).order_by().values_list("status")
        return rows.annotate(Count("pk"), Min("ended"))

    @prepared.update_each
    def mark_digested(self, /, trace: int, now: datetime, **figures: Any) -> Change:
        """Sets the figures of a trace."""
        return Change(self.filter(pk=trace), digested=now, **figures)


class Trace(models.Model):
    """The spans of one turn, probe, trial, playground run, request for a title, or of a loop of a
    program that calls a provider through the gateway.

    `owner` is the archive's. The figures, from `duration_ms` to `has_retry`, are computed after the
    end (`tracing.stats.aggregates.ended_traces`), at the time `digested`; costs are US dollars.
    """

    class Kind(models.TextChoices):
        TURN = "turn", later("Turn")
        PROBE = "probe", later("Probe")
        TRIAL = "trial", later("Trial")
        PLAYGROUND = "playground", later("Playground")
        REPLAY = "replay", later("Replay")
        SUBAGENT = "subagent", later("Subagent")
        TITLE = "title", later("Title")
        GATEWAY = "gateway", later("Gateway")

    class Status(models.TextChoices):
        RUNNING = "running", later("Running")
        SUCCEEDED = "succeeded", later("Succeeded")
        FAILED = "failed", later("Failed")
        STOPPED = "stopped", later("Stopped")

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    archive = models.ForeignKey(Archive, on_delete=models.CASCADE, related_name="traces")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="traces",
        db_index=False,
    )
    kind = models.CharField(max_length=16, choices=Kind.choices, default=Kind.TURN)
    # Of a subagent: the tool call that it is the result of.
    parent = models.ForeignKey(
        "Span", on_delete=models.SET_NULL, null=True, blank=True, related_name="nested"
    )
    name = LabelField(max_length=200)
    # Lists leave it out otherwise: it belongs to a temporary conversation.
    is_listed = models.BooleanField(default=True)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.RUNNING)
    started = models.DateTimeField(default=timezone.now)
    ended = models.DateTimeField(null=True, blank=True)
    attributes = JSONTextField(default=dict)
    duration_ms = models.PositiveBigIntegerField(null=True, blank=True)
    rounds = models.PositiveIntegerField(null=True, blank=True)
    calls = models.PositiveIntegerField(null=True, blank=True)
    tokens_in = models.PositiveBigIntegerField(null=True, blank=True)
    tokens_out = models.PositiveBigIntegerField(null=True, blank=True)
    tokens = models.PositiveBigIntegerField(null=True, blank=True)
    cost = models.DecimalField(max_digits=18, decimal_places=9, null=True, blank=True)
    has_error = models.BooleanField(default=False)
    has_retry = models.BooleanField(default=False)
    digested = models.DateTimeField(null=True, blank=True)
    exported = models.DateTimeField(null=True, blank=True)
    # Spans and payloads were removed because of their age; the figures stay.
    removed = models.DateTimeField(null=True, blank=True)

    objects = TraceQuerySet.as_manager()

    class Meta:
        permissions = (("view_dashboard", "Can view the dashboard and the metrics"),)
        constraints = (
            models.CheckConstraint(
                condition=Q(status__in=["running", "succeeded", "failed", "stopped"]),
                name="trace_status_known",
            ),
        )
        indexes = (
            # The list of traces, newest first.
            models.Index(fields=["-started", "-id"], name="trace_newest"),
            # The list of traces with one status.
            models.Index(fields=["status", "-started"], name="trace_status_newest"),
            # The list of a user's own traces.
            models.Index(fields=["owner", "-started", "-id"], name="trace_owner_newest"),
            # The list of one kind.
            models.Index(fields=["kind", "-started", "-id"], name="trace_kind_newest"),
            # The list in orders other than time.
            models.Index(fields=["-duration_ms", "-id"], name="trace_longest"),
            models.Index(fields=["-tokens", "-id"], name="trace_most_tokens"),
            models.Index(fields=["-cost", "-id"], name="trace_dearest"),
            models.Index(fields=["-rounds", "-id"], name="trace_most_rounds"),
            models.Index(fields=["-calls", "-id"], name="trace_most_calls"),
            # The list of a period by its end, to which bars and rows of the dashboard lead.
            models.Index(fields=["-ended", "-id"], name="trace_last_ended"),
            # The list of traces with an error, or with a retry.
            models.Index(
                fields=["-started", "-id"], condition=Q(has_error=True), name="trace_with_error"
            ),
            models.Index(
                fields=["-started", "-id"], condition=Q(has_retry=True), name="trace_with_retry"
            ),
            # Ended traces whose figures are to be computed.
            models.Index(fields=["id"], condition=Q(digested=None), name="trace_undigested"),
            # Traces to be exported, in the order in which they ended.
            models.Index(
                fields=["ended", "id"], condition=Q(exported=None), name="trace_unexported"
            ),
        )

    def __str__(self) -> str:
        return str(self.name)

    def get_absolute_url(self) -> str:
        return address("tracing:trace", self.public_id)

    @property
    def is_running(self) -> bool:
        return self.status == self.Status.RUNNING

    def elapsed(self, now: datetime) -> timedelta:
        """How long it took, or has taken by now."""
        return (self.ended or now) - self.started
