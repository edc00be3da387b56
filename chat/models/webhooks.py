"""Addresses that are told of events, and what was sent to them."""

import uuid
from datetime import timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from db.fields import SentenceField
from db.users import AnyUser
from jobs import Job
from languages.later import later
from limits.webhooks import MAX_DELIVERY_SILENCE
from tools.encryption import EncryptedTextField


class WebhookQuerySet(models.QuerySet["Webhook"]):
    def for_user(self, user: AnyUser) -> "WebhookQuerySet":
        """Those whose pages this user has: their own; an admin's also those for everybody."""
        own = Q(owner=user.pk)
        return self.filter(own | Q(owner=None) if user.is_superuser else own)

    def told_of(self, user_id: int) -> "WebhookQuerySet":
        """Those that are told of what happens to this user."""
        active = Q(owner=None) | Q(owner=user_id, owner__is_active=True)
        return self.filter(active, enabled=True)


class Webhook(models.Model):
    """An address that gets events by POST, signed (Standard Webhooks 1.0.0).

    Without an owner it is told of everybody's events, and never of contents.
    """

    class Event(models.TextChoices):
        TURN_ENDED = "turn.ended", later("A turn has ended")
        TURN_WAITING = "turn.waiting", later("A turn waits for a person")
        LIMIT_REACHED = "limit.reached", later("A limit is reached")
        LIMIT_NEAR = "limit.near", later("80 % of a limit is used")
        TEST = "test", later("Test")

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="webhooks"
    )
    url = models.TextField()
    events = models.JSONField(default=list)
    # `whsec_` and base64, as the specification wants it.
    secret = EncryptedTextField()
    with_content = models.BooleanField(default=False)
    enabled = models.BooleanField(default=True)
    # Of the first failure since the last success.
    failing_since = models.DateTimeField(null=True, blank=True)
    # Why it was switched off by itself; "" if a person did.
    problem = SentenceField(blank=True, default="")
    created = models.DateTimeField(default=timezone.now)

    objects = WebhookQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return str(self.url)


class WebhookDelivery(Job):
    """An event for one webhook; the same id and the same bytes at every attempt.

        asked ──► running ──► succeeded | failed
          ▲          └── a failure that is tried again at `due`, or a worker that died

    Unique by webhook and key: what is told twice is stored once. At least once is what the receiver
    gets; it knows a repeat by `webhook-id`, which is `public_id`.
    """

    taken_within = timedelta(days=30)
    silent_within = MAX_DELIVERY_SILENCE

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=40)
    key = models.CharField(max_length=120)
    body = models.TextField()
    due = models.DateTimeField(default=timezone.now)
    attempts = models.PositiveIntegerField(default=0)
    # Of the latest attempt; 0: there was no answer.
    status = models.PositiveIntegerField(default=0)
    excerpt = models.TextField(blank=True, default="")

    class Meta:
        ordering = ("-id",)
        verbose_name_plural = "webhook deliveries"
        constraints = (
            *Job.Meta.constraints,
            models.UniqueConstraint(fields=["webhook", "key"], name="webhook_delivery_once"),
        )
        indexes = (
            # What is to be sent now, asked every beat.
            models.Index(
                fields=["due"],
                condition=Q(state__in=["asked", "running"]),
                name="webhook_delivery_due",
            ),
            # The deletion of what is over.
            models.Index(fields=["created"], name="webhook_delivery_by_time"),
        )

    def __str__(self) -> str:
        return f"{self.event} {self.public_id}"
