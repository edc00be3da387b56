"""Spans. The engine runs from these rows: they are written before a step and closed after it."""

import uuid
from datetime import datetime, timedelta
from typing import Any

from django.db import models
from django.db.models import Q
from django.utils import timezone

from db import prepared
from db.fields import LabelField, SentenceField
from db.literals import Literal, literals
from db.prepared import Change, PreparedQuerySet
from tracing.models.packed_json import PackedJSONField
from tracing.models.trace import Trace


class SpanQuerySet(PreparedQuerySet["Span"]):
    def owned_calls(self) -> "SpanQuerySet":
        """The tool calls that a worker has, or is to take. Found by the index `span_open_calls`."""
        return self.filter(kind=Literal(Span.Kind.TOOL), status__in=literals(Span.OWNED))

    @prepared.one
    def latest_round(self, trace: int) -> "models.QuerySet[Span]":
        """The latest round with its parent; before the first round the root span."""
        rounds = self.filter(trace=trace, kind__in=[Span.Kind.TURN, Span.Kind.ROUND])
        return rounds.select_related("parent").order_by("-id")[:1]

    @prepared.rows
    def journal_of(self, trace: int) -> "models.QuerySet[Span]":
        """The rounds of a trace with their attempts, calls and compactions."""
        return self.filter(trace=trace, kind__in=Span.KINDS_OF_ROUNDS).order_by("number", "id")

    @prepared.first
    def generation_before(self, trace: int, number: int) -> "models.QuerySet[Span]":
        """The last model call of the rounds before this one, with its round."""
        earlier = self.generations_of_rounds().filter(trace=trace, parent__number__lt=number)
        return earlier.select_related("parent")[:1]

    def generations_of_rounds(self) -> "models.QuerySet[Span]":
        """Model calls of rounds, the latest first; those of summaries are left out."""
        generations = self.filter(kind=Span.Kind.GENERATION, parent__kind=Span.Kind.ROUND)
        return generations.order_by("-id")

    @prepared.rows
    def compactions_between(
        self, archive: int, earlier: int, later: int
    ) -> "models.QuerySet[Span]":
        """The compactions that ended well between two spans of an archive."""
        compactions = self.filter(
            trace__archive=archive, kind=Span.Kind.COMPACTION, status=Span.Status.SUCCEEDED
        )
        return compactions.filter(pk__gt=earlier, pk__lt=later).order_by("pk")

    @prepared.rows
    def children_of(self, trace: int, parent: int) -> "models.QuerySet[Span]":
        return self.filter(trace=trace, parent=parent).order_by("number")

    @prepared.update
    def close(
        self,
        span: int,
        ended: datetime,
        status: str,
        error: str,
        attributes: dict[str, Any],
        retry_at: datetime | None,
    ) -> Change:
        return Change(
            self.filter(pk=span),
            ended=ended,
            status=status,
            error=error,
            attributes=attributes,
            retry_at=retry_at,
        )

    @prepared.update
    def close_running(self, span: int, status: str, ended: datetime) -> Change:
        running = self.filter(pk=span, status=Span.Status.RUNNING)
        return Change(running, status=status, error="", ended=ended)

    @prepared.one
    def call(self, call: int) -> "models.QuerySet[Span]":
        """A tool call with its round and its trace."""
        return self.select_related("parent", "trace").filter(pk=call)

    @prepared.update
    def send(self, call: int, claimed: int, attributes: dict[str, Any]) -> Change:
        """Marks a call as sent, for the owner with this token, unless it has let go of it."""
        approved = self.filter(pk=call, token=claimed, status=Span.Status.APPROVED)
        return Change(approved.filter(owner__gt=""), status=Span.Status.SENT, attributes=attributes)

    @prepared.update
    def settle(
        self, call: int, claimed: int, status: str, ended: datetime, attributes: dict[str, Any]
    ) -> Change:
        """Ends a call and frees its claim, for the owner with this token."""
        held = self.filter(pk=call, token=claimed, status__in=Span.OWNED)
        free = {"owner": "", "lease_expires": None}
        return Change(held, status=status, ended=ended, attributes=attributes, **free)

    @prepared.update
    def end_running(self, trace: int, status: str, ended: datetime, error: str) -> Change:
        """Closes the running spans of a trace, but no tool calls: they have owners of their own."""
        running = self.filter(
            trace=trace, status=Span.Status.RUNNING, kind__in=Span.KINDS_OF_THE_TURN
        )
        return Change(running, status=status, ended=ended, error=error)


class Span(models.Model):
    """One timed operation: kind, parent, status.

    A tool call goes `proposed → (awaiting_approval → approved | denied) → sent → succeeded |
    failed | cancelled | outcome_unknown`, with `waiting` beside `sent` for a subagent, a person or
    an elicitation; it begins as `approved` where the policy allows it. A round or a generation goes
    `running → succeeded | failed | cancelled | superseded`.

    `owner`, `token` and `lease_expires` say which process works on the span: a claim is a
    compare-and-set that raises `token`, which then fences that owner's writes.

    `retry_at`, `idempotent` and `tool_hash` are what the engine decides by, and their only source.
    `tracing.recorder` writes each with the attribute of the same name, which is evidence: the
    trace page and exports show it, and nothing else reads it.
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

    # The states in which a tool call can have an owner.
    OWNED = (Status.APPROVED, Status.SENT, Status.WAITING)

    KINDS_OF_ROUNDS = (Kind.ROUND, Kind.GENERATION, Kind.TOOL, Kind.COMPACTION)
    # The kinds that a turn's owner writes; a tool call has an owner of its own.
    KINDS_OF_THE_TURN = (Kind.TURN, Kind.ROUND, Kind.GENERATION, Kind.COMPACTION)

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    # Without an index of its own: `span_of_trace` begins with it.
    trace = models.ForeignKey(Trace, on_delete=models.CASCADE, related_name="spans", db_index=False)
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
    attributes = PackedJSONField(default=dict)
    owner = models.CharField(max_length=64, blank=True, default="")
    token = models.PositiveIntegerField(default=0)
    lease_expires = models.DateTimeField(null=True, blank=True)
    # Of a failed generation or summary: when the next attempt is due. None: there is none.
    retry_at = models.DateTimeField(null=True, blank=True)
    # Of a tool call: whether it may run again after its worker died. None: of another kind.
    idempotent = models.BooleanField(null=True, blank=True)
    # Of a tool call: the hash of the tool's definition when it was proposed. An approval is for
    # this tool alone. None: the tool was not known. A column that is null is added at once, where
    # SQLite would copy the table for one with a default.
    tool_hash = models.CharField(max_length=64, null=True, blank=True)  # noqa: DJ001

    objects = SpanQuerySet.as_manager()

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
            # A number of a round, an attempt or a call is used once.
            models.UniqueConstraint(
                fields=["trace", "parent", "kind", "number"], name="span_position_once"
            ),
        )
        indexes = (
            # The journal of a turn, in order; the tree of a trace.
            models.Index(fields=["trace", "id"], name="span_of_trace"),
            # The reaper: open tool calls whose lease has expired.
            models.Index(
                fields=["lease_expires"],
                condition=Q(kind="tool", status__in=["approved", "sent", "waiting"]),
                name="span_open_calls",
            ),
            # The admin's list of spans of one kind, newest first. The condition keeps it from the
            # other statements: SQLite would read all spans of a kind rather than those of a trace.
            models.Index(fields=["kind", "-id"], condition=Q(kind__gt=""), name="span_kind_newest"),
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
