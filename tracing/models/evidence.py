"""Archives, traces, spans, payloads and blobs: the journal and the evidence.

An `Archive` is the root of everything recorded for one conversation (or probe, or try-out); what
hangs below it goes with it by cascade. A `Span` is one timed operation. The engine runs from these
rows: they are written before a step and closed after it.
"""

import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from db.fields import JSONTextField, LabelField, SentenceField
from tracing.permissions import DELETE_TRACE, holds, may_view_traces


class Archive(models.Model):
    """What one conversation, probe, playground run or tool try-out recorded.

    `blobs` counts the ordinals given out; it is only ever moved by an UPDATE, which also is the
    lock that keeps ordinals unique.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="archives"
    )
    # That of a subagent goes with the archive of the conversation that asked for it.
    parent = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="children"
    )
    blobs = models.PositiveBigIntegerField(default=0)
    created = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return str(self.public_id)


class TraceQuerySet(models.QuerySet["Trace"]):
    def for_user(self, user: AbstractBaseUser | AnonymousUser) -> "TraceQuerySet":
        """The traces that this user may see: their own, and by permission all of them."""
        if not user.is_active:
            return self.none()
        return self.all() if may_view_traces(user) else self.filter(owner_id=user.pk)

    def deletable_by(self, user: AbstractBaseUser | AnonymousUser) -> "TraceQuerySet":
        """Those that this user may delete: their own, and by a permission more all of them."""
        seen = self.for_user(user)
        return seen if holds(user, DELETE_TRACE) else seen.filter(owner_id=user.pk)


class Trace(models.Model):
    """All spans of one turn (or probe, or try-out).

    `owner` is the archive's. What is counted of an ended trace (from `duration_ms` on) is filled
    beside the turn's path (`tracing.digest`) and empty until then; costs are US dollars.
    """

    class Kind(models.TextChoices):
        TURN = "turn"
        PROBE = "probe"
        TRIAL = "trial"
        PLAYGROUND = "playground"
        REPLAY = "replay"
        SUBAGENT = "subagent"

    class Status(models.TextChoices):
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        STOPPED = "stopped"

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
            # A user's own.
            models.Index(fields=["owner", "-started", "-id"], name="trace_owner_newest"),
            # The probes, the trials, … among many turns.
            models.Index(fields=["kind", "-started", "-id"], name="trace_kind_newest"),
            # The lists by another order than time.
            models.Index(fields=["-duration_ms", "-id"], name="trace_longest"),
            models.Index(fields=["-tokens", "-id"], name="trace_most_tokens"),
            models.Index(fields=["-cost", "-id"], name="trace_dearest"),
            models.Index(fields=["-rounds", "-id"], name="trace_most_rounds"),
            models.Index(fields=["-calls", "-id"], name="trace_most_calls"),
            # What ended in a stretch of time: what a bar or a row of the dashboard leads to.
            models.Index(fields=["-ended", "-id"], name="trace_last_ended"),
            # What went wrong, or was tried again.
            models.Index(
                fields=["-started", "-id"], condition=Q(has_error=True), name="trace_with_error"
            ),
            models.Index(
                fields=["-started", "-id"], condition=Q(has_retry=True), name="trace_with_retry"
            ),
            # What is still to be counted.
            models.Index(fields=["id"], condition=Q(digested=None), name="trace_undigested"),
            # What is still to be exported, in the order in which it ended.
            models.Index(
                fields=["ended", "id"], condition=Q(exported=None), name="trace_unexported"
            ),
        )

    def __str__(self) -> str:
        return str(self.name)

    def get_absolute_url(self) -> str:
        return reverse("tracing:trace", args=[self.public_id])

    @property
    def is_running(self) -> bool:
        return self.status == self.Status.RUNNING

    def elapsed(self, now: datetime) -> timedelta:
        """How long it took, or has taken by now."""
        return (self.ended or now) - self.started


class Span(models.Model):
    """One timed operation: kind, parent, status.

    A tool call goes `proposed → (awaiting_approval → approved | denied) → sent → succeeded |
    failed | cancelled | outcome_unknown`, with `waiting` beside `sent` for a subagent, a person or
    an elicitation; it begins as `approved` where the policy allows it. A round or a generation goes
    `running → succeeded | failed | cancelled | superseded`.

    `owner`, `token` and `lease_expires` say which process works on the span: a claim is a
    compare-and-set that raises `token`, which then fences that owner's writes.
    """

    class Kind(models.TextChoices):
        TURN = "turn"
        ROUND = "round"
        GENERATION = "generation"
        TOOL = "tool"
        MCP = "mcp"
        COMPACTION = "compaction"
        SUBAGENT = "subagent"
        APPROVAL = "approval"
        QUEUE = "queue"

    class Status(models.TextChoices):
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        CANCELLED = "cancelled"
        SUPERSEDED = "superseded"
        PROPOSED = "proposed"
        AWAITING_APPROVAL = "awaiting_approval"
        APPROVED = "approved"
        DENIED = "denied"
        SENT = "sent"
        WAITING = "waiting"
        OUTCOME_UNKNOWN = "outcome_unknown"

    OPEN = frozenset(
        {
            Status.RUNNING,
            Status.PROPOSED,
            Status.AWAITING_APPROVAL,
            Status.APPROVED,
            Status.SENT,
            Status.WAITING,
        }
    )

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    trace = models.ForeignKey(Trace, on_delete=models.CASCADE, related_name="spans")
    parent = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="children"
    )
    kind = models.CharField(max_length=16, choices=Kind.choices)
    name = LabelField(max_length=200)
    # Round number, attempt number or position of the call in its round, from 1.
    number = models.PositiveIntegerField(default=1)
    status = models.CharField(max_length=20, choices=Status.choices, default=Status.RUNNING)
    # A tool call is created when it is proposed and starts when it is sent.
    created = models.DateTimeField(default=timezone.now)
    started = models.DateTimeField(null=True, blank=True)
    ended = models.DateTimeField(null=True, blank=True)
    error = SentenceField(blank=True, default="")
    attributes = JSONTextField(default=dict)
    owner = models.CharField(max_length=64, blank=True, default="")
    token = models.PositiveIntegerField(default=0)
    lease_expires = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(
                    kind__in=[
                        "turn",
                        "round",
                        "generation",
                        "tool",
                        "mcp",
                        "compaction",
                        "subagent",
                        "approval",
                        "queue",
                    ]
                ),
                name="span_kind_known",
            ),
            models.CheckConstraint(
                condition=Q(
                    status__in=[
                        "running",
                        "succeeded",
                        "failed",
                        "cancelled",
                        "superseded",
                        "proposed",
                        "awaiting_approval",
                        "approved",
                        "denied",
                        "sent",
                        "waiting",
                        "outcome_unknown",
                    ]
                ),
                name="span_status_known",
            ),
            # A round number, an attempt or a call position is given out once.
            models.UniqueConstraint(
                fields=["trace", "parent", "kind", "number"], name="span_position_once"
            ),
        )
        indexes = (
            # The journal of a turn, in order; the tree of a trace.
            models.Index(fields=["trace", "id"], name="span_of_trace"),
            # The reaper: tool calls that nobody works on any more.
            models.Index(
                fields=["lease_expires"],
                condition=Q(kind="tool", status__in=["approved", "sent"]),
                name="span_open_calls",
            ),
            # The admin's list of spans of one kind, newest first.
            models.Index(fields=["kind", "-id"], name="span_kind_newest"),
            # Failing tools and generations, newest first.
            models.Index(
                fields=["kind", "-id"],
                condition=Q(status__in=["failed", "outcome_unknown"]),
                name="span_failed_newest",
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"

    @property
    def is_open(self) -> bool:
        return self.status in self.OPEN

    def elapsed(self, now: datetime) -> timedelta | None:
        """How long it took, or has taken by now; None if it never started."""
        if self.started is None:
            return None
        return (self.ended or now) - self.started


class Blob(models.Model):
    """One distinct element of the payloads of an archive, compressed with zstd."""

    archive = models.ForeignKey(Archive, on_delete=models.CASCADE, related_name="blob_set")
    ordinal = models.PositiveBigIntegerField()
    sha256 = models.BinaryField(max_length=32)
    size = models.PositiveBigIntegerField()
    compressed = models.BinaryField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["archive", "sha256"], name="blob_once_an_archive"),
            models.UniqueConstraint(fields=["archive", "ordinal"], name="blob_ordinal_once"),
        )

    def __str__(self) -> str:
        return f"{self.archive_id}/{self.ordinal}"


class Payload(models.Model):
    """The exact content of one stage of a span, as a manifest over the archive's blobs.

    `sha256` and `size` are those of the stored bytes; re-assembly is checked against them. Where a
    known secret was replaced before storing, `redacted` is set and `sha256_sent` has the hash of
    the bytes on the wire. `chunks` holds arrival offsets and lengths, packed.
    """

    class Stage(models.TextChoices):
        INPUT = "input"
        REQUEST = "request"
        RESPONSE = "response"
        OUTPUT = "output"
        ARGUMENTS = "arguments"
        RESULT = "result"
        SHOWN = "shown"
        FRAMES = "frames"
        STDERR = "stderr"

    span = models.ForeignKey(Span, on_delete=models.CASCADE, related_name="payloads")
    stage = models.CharField(max_length=16, choices=Stage.choices)
    sha256 = models.BinaryField(max_length=32)
    size = models.PositiveBigIntegerField()
    manifest = models.BinaryField()
    chunks = models.BinaryField(default=b"")
    attributes = JSONTextField(default=dict)
    redacted = models.BooleanField(default=False)
    sha256_sent = models.BinaryField(max_length=32, null=True, blank=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(
                    stage__in=[
                        "input",
                        "request",
                        "response",
                        "output",
                        "arguments",
                        "result",
                        "shown",
                        "frames",
                        "stderr",
                    ]
                ),
                name="payload_stage_known",
            ),
            models.UniqueConstraint(fields=["span", "stage"], name="payload_once_a_stage"),
        )

    def __str__(self) -> str:
        return f"{self.stage} of {self.span_id}"
