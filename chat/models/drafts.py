"""Messages that are being written."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from chat.models.conversations import Conversation
from chat.models.messages import Attachment
from db.fields import SentenceField
from db.users import AnyUser


class DraftQuerySet(models.QuerySet["Draft"]):
    def for_user(self, user: AnyUser) -> "DraftQuerySet":
        """The user's own drafts."""
        return self.filter(owner_id=user.pk)


class Draft(models.Model):
    """The message that a person is writing in a conversation, or in a new one (without a
    conversation): one for all their tabs and devices.

    `revision` counts the changes; a change is made by compare-and-set of the revision that its tab
    had read, so that a tab never overwrites what it has not shown. A sent draft stays as an empty
    row, because its revision has to go on.
    """

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="drafts"
    )
    conversation = models.ForeignKey(
        Conversation, on_delete=models.CASCADE, null=True, related_name="drafts"
    )
    text = SentenceField(blank=True, default="")
    # Uploads that belong to it; they are not deleted as long as they do.
    attachments = models.ManyToManyField(Attachment, related_name="drafts", blank=True)
    revision = models.PositiveIntegerField(default=0)
    updated = models.DateTimeField(default=timezone.now)

    objects = DraftQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["owner", "conversation"], name="draft_once_a_conversation"
            ),
            models.UniqueConstraint(
                fields=["owner"], condition=Q(conversation=None), name="draft_once_a_new_one"
            ),
        )

    def __str__(self) -> str:
        return f"draft of user {self.owner_id}, revision {self.revision}"
