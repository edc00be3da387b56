"""Prompt templates of people."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from chat.permissions import may_share_prompts
from db.fields import SentenceField
from db.users import AnyUser


class PromptTemplateQuerySet(models.QuerySet["PromptTemplate"]):
    def for_user(self, user: AnyUser) -> "PromptTemplateQuerySet":
        """The templates that this user may insert: their own, and the shared ones."""
        return self.filter(Q(owner=user.pk) | Q(owner=None))

    def editable_by(self, user: AnyUser) -> "PromptTemplateQuerySet":
        """The templates that this user may change: their own, and by permission the shared ones."""
        return self.for_user(user) if may_share_prompts(user) else self.filter(owner=user.pk)


class PromptTemplate(models.Model):
    """A text for messages, with variables (`chat.prompts.variables`). Without an owner everybody
    may insert it."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="prompt_templates",
    )
    name = models.CharField(max_length=80)
    description = models.CharField(max_length=300, blank=True, default="")
    text = SentenceField()
    created = models.DateTimeField(default=timezone.now)

    objects = PromptTemplateQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        constraints = (
            models.UniqueConstraint(
                fields=["name"], condition=Q(owner=None), name="prompt_template_once_shared"
            ),
            models.UniqueConstraint(fields=["owner", "name"], name="prompt_template_once_an_owner"),
        )

    def __str__(self) -> str:
        return self.name
