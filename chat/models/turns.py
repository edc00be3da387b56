"""Turns, from a user message to the answer, and what they wait for people with."""

import uuid
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from chat.models.conversations import Conversation, Message
from chat.models.providers import LanguageModel
from db.fields import JSONTextField, SentenceField
from db.prepared import Given
from tracing.models import Span, Trace


class TurnQuerySet(models.QuerySet["Turn"]):
    def for_user(self, user: Any) -> "TurnQuerySet":
        """The turns that this user may see: those of their own conversations."""
        return self.filter(conversation__owner_id=user.pk)

    def open(self) -> "TurnQuerySet":
        return self.filter(status__in=Turn.OPEN)

    def runnable(self, now: datetime | Given) -> "TurnQuerySet":
        """Open, and rung or left behind by an owner.

        A turn that waits for an earlier one of its conversation was not rung. `now` is a clock
        that agrees with those of the owners to within the lease.
        """
        rung = Q(owner="", wakeups__gt=F("seen"))
        return self.open().filter(rung | Q(lease_expires__lt=now))


class Turn(models.Model):
    """From one user message to the final assistant message.

    `queued → streaming ⇄ waiting → done | failed | stopped`; the first final state wins. `wakeups`
    counts the facts that came from outside the owner, `seen` those that an owner had read when it
    let go; a turn behind another one begins with no fact, and gets its first when that one ends.
    `epoch` counts the owners and fences their writes.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        STREAMING = "streaming"
        WAITING = "waiting"
        DONE = "done"
        FAILED = "failed"
        STOPPED = "stopped"

    OPEN = (Status.QUEUED, Status.STREAMING, Status.WAITING)

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="turns")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="turns"
    )
    client_key = models.CharField(max_length=64)
    question = models.OneToOneField(
        Message, on_delete=models.CASCADE, related_name="asked_turn", null=True
    )
    answer = models.OneToOneField(
        Message, on_delete=models.SET_NULL, related_name="answered_turn", null=True, blank=True
    )
    # The failed or stopped turn in whose place this one stands: its question is asked once more.
    retry_of = models.OneToOneField(
        "self", on_delete=models.SET_NULL, related_name="retried_by", null=True, blank=True
    )
    model = models.ForeignKey(LanguageModel, on_delete=models.SET_NULL, null=True)
    trace = models.OneToOneField(Trace, on_delete=models.SET_NULL, null=True, related_name="turn")
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.QUEUED)
    error = models.TextField(blank=True, default="")
    # The ceiling that ended it (`chat.engine.ceilings`), if one did.
    ceiling = models.CharField(max_length=32, blank=True, default="")
    wakeups = models.PositiveIntegerField(default=1)
    seen = models.PositiveIntegerField(default=0)
    owner = models.CharField(max_length=64, blank=True, default="")
    epoch = models.PositiveIntegerField(default=0)
    lease_expires = models.DateTimeField(null=True, blank=True)
    stop_requested = models.DateTimeField(null=True, blank=True)
    rounds = models.PositiveIntegerField(default=0)
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    created = models.DateTimeField(default=timezone.now)
    started = models.DateTimeField(null=True, blank=True)
    ended = models.DateTimeField(null=True, blank=True)

    objects = TurnQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(
                    status__in=["queued", "streaming", "waiting", "done", "failed", "stopped"]
                ),
                name="turn_status_known",
            ),
            # Sending the same message again finds the same turn.
            models.UniqueConstraint(fields=["user", "client_key"], name="turn_once_a_key"),
            # At most one turn of a conversation runs.
            models.UniqueConstraint(
                fields=["conversation"],
                condition=Q(status__in=["streaming", "waiting"]),
                name="turn_one_runs",
            ),
        )
        indexes = (
            # The reaper: open turns.
            models.Index(
                fields=["id"],
                condition=Q(status__in=["queued", "streaming", "waiting"]),
                name="turn_open",
            ),
            # The thread of a conversation; the earlier open turn.
            models.Index(fields=["conversation", "id"], name="turn_of_conversation"),
        )

    def __str__(self) -> str:
        return f"turn {self.public_id}"

    @property
    def is_open(self) -> bool:
        return self.status in self.OPEN


class QuestionQuerySet(models.QuerySet["Question"]):
    def for_user(self, user: Any) -> "QuestionQuerySet":
        """The questions that this user may answer: those of their own conversations."""
        return self.filter(span__trace__turn__conversation__owner_id=user.pk)


class Question(models.Model):
    """What a server asks of a person in the middle of a tool call (MCP: elicitation).

    `open → answered | declined | cancelled | expired`, by compare-and-set. A form has a `schema`, a
    request to visit a page a `url`. With a `request_state` the call is made again with the answer,
    on any session; without one a live session waits for it.
    """

    class Kind(models.TextChoices):
        FORM = "form"
        URL = "url"

    class State(models.TextChoices):
        OPEN = "open"
        ANSWERED = "answered"
        DECLINED = "declined"
        CANCELLED = "cancelled"
        EXPIRED = "expired"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    span = models.ForeignKey(Span, on_delete=models.CASCADE, related_name="questions")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    key = models.CharField(max_length=200, blank=True, default="")
    message = SentenceField(blank=True, default="")
    schema = JSONTextField(null=True, blank=True)
    url = models.TextField(blank=True, default="")
    request_state = models.TextField(blank=True, default="")
    state = models.CharField(max_length=12, choices=State.choices, default=State.OPEN)
    answer = JSONTextField(null=True, blank=True)
    asked = models.DateTimeField(default=timezone.now)
    expires = models.DateTimeField(null=True, blank=True)
    settled = models.DateTimeField(null=True, blank=True)

    objects = QuestionQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(kind__in=["form", "url"]), name="question_kind_known"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["open", "answered", "declined", "cancelled", "expired"]),
                name="question_state_known",
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.public_id}"
