"""What people may use at most: rules that an admin makes."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import models
from django.db.models import Q
from django.utils import timezone

from languages.later import later


class QuotaRule(models.Model):
    """A limit of everybody, of the members of a group, or of a person.

    `amount` is in the unit of the kind: turns, tool calls, tokens, uploads, bytes, and millionths
    of a US dollar; null is no limit, for those whom a rule of more people would reach. Which rule
    counts for a person says `chat.quotas.rules`. Changed by `chat.quotas.changes` alone.
    """

    class Scope(models.TextChoices):
        EVERYBODY = "everybody", later("Everybody")
        GROUP = "group", later("Group")
        PERSON = "person", later("Person")

    class Kind(models.TextChoices):
        TURNS_MINUTE = "turns_minute", later("Turns a minute")
        CALLS_MINUTE = "calls_minute", later("Tool calls a minute")
        OPEN_TURNS = "open_turns", later("Open turns")
        TOKENS_DAY = "tokens_day", later("Tokens a day")
        TOKENS_MONTH = "tokens_month", later("Tokens a month")
        COST_DAY = "cost_day", later("Cost a day")
        COST_MONTH = "cost_month", later("Cost a month")
        STORED_BYTES = "stored_bytes", later("Stored bytes")
        UPLOADS_DAY = "uploads_day", later("Uploads a day")

    # Those that are counted from what models have used.
    CONSUMPTION: ClassVar = (Kind.TOKENS_DAY, Kind.TOKENS_MONTH, Kind.COST_DAY, Kind.COST_MONTH)

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    scope = models.CharField(max_length=9, choices=Scope.choices)
    group = models.ForeignKey(
        Group, on_delete=models.CASCADE, related_name="quota_rules", null=True, blank=True
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="quota_rules",
        null=True,
        blank=True,
    )
    kind = models.CharField(max_length=16, choices=Kind.choices)
    amount = models.PositiveBigIntegerField(null=True, blank=True)
    changed = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(scope="everybody", group=None, user=None)
                | Q(scope="group", group__isnull=False, user=None)
                | Q(scope="person", group=None, user__isnull=False),
                name="quota_rule_of_its_scope",
            ),
            models.CheckConstraint(
                condition=Q(
                    kind__in=[
                        *("turns_minute", "calls_minute", "open_turns", "tokens_day"),
                        *("tokens_month", "cost_day", "cost_month", "stored_bytes", "uploads_day"),
                    ]
                ),
                name="quota_rule_kind_known",
            ),
            models.UniqueConstraint(
                fields=["kind"], condition=Q(scope="everybody"), name="quota_rule_once_for_all"
            ),
            models.UniqueConstraint(
                fields=["group", "kind"], condition=Q(scope="group"), name="quota_rule_once_a_group"
            ),
            models.UniqueConstraint(
                fields=["user", "kind"], condition=Q(scope="person"), name="quota_rule_once_a_user"
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.subject}"

    @property
    def subject(self) -> str:
        """Whom it limits, by name."""
        if self.user is not None:
            return self.user.get_username()
        return self.group.name if self.group is not None else str(self.get_scope_display())
