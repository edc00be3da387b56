"""Questions of servers to people."""

import uuid
from datetime import datetime

from django.db import models
from django.db.models import Q
from django.utils import timezone

from chat.models.turns import of_owner_or_author
from db import prepared
from db.fields import JSONTextField, SentenceField
from db.prepared import Change, PreparedQuerySet
from db.users import AnyUser
from tracing.models import Span


class QuestionQuerySet(PreparedQuerySet["Question"]):
    def answerable_by(self, user: AnyUser) -> "QuestionQuerySet":
        """The questions that this user may answer: those of their own conversations, and those of
        turns that they wrote where they may write."""
        return self.filter(of_owner_or_author(user, "span__trace__turn"))

    @prepared.update
    def close(self, call: int, ended_as: str, settled: datetime) -> Change:
        """Ends the open questions of a call."""
        still_open = self.filter(span=call, state=Question.State.OPEN)
        return Change(still_open, state=ended_as, settled=settled)


class Question(models.Model):
    """A question of a server to a person in the middle of a tool call (MCP: elicitation).

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
