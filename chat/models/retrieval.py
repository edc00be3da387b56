"""The index of files: passages of attachments and of project files, for the tool `search_files`."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from chat.models.conversations import Conversation
from chat.models.messages import Attachment
from chat.models.projects import ProjectFile
from db.fields import SentenceField
from db.users import AnyUser


class SearchedFileQuerySet(models.QuerySet["SearchedFile"]):
    def for_user(self, user: AnyUser) -> "SearchedFileQuerySet":
        """The user's own files, but for those of messages that they deleted."""
        return self.filter(_NOT_DELETED, owner_id=user.pk)

    def of_conversation(
        self, conversation: Conversation, *, with_project: bool
    ) -> "SearchedFileQuerySet":
        """Those of the conversation's messages and, for its owner, of its project."""
        files = Q(attachment__message__conversation=conversation)
        if with_project and conversation.project_id is not None:
            files |= Q(project_file__project=conversation.project_id)
        return self.filter(_NOT_DELETED).filter(files)

    def of_all(self) -> "SearchedFileQuerySet":
        """Without those that a temporary conversation has, or no message yet."""
        kept = Q(attachment__message__conversation__is_temporary=False)
        return self.filter(kept | Q(project_file__isnull=False))


_NOT_DELETED = Q(attachment=None) | Q(attachment__message__turn__deleted=None)


class SearchedFile(models.Model):
    """An attachment or project file that is text and was cut into passages."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="searched_files"
    )
    attachment = models.OneToOneField(
        Attachment, on_delete=models.CASCADE, null=True, blank=True, related_name="searched"
    )
    project_file = models.OneToOneField(
        ProjectFile, on_delete=models.CASCADE, null=True, blank=True, related_name="searched"
    )
    passages_count = models.PositiveIntegerField(default=0)

    objects = SearchedFileQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(attachment__isnull=False) ^ Q(project_file__isnull=False),
                name="searched_file_is_of_one",
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        one = self.attachment or self.project_file
        return str(one.name) if one else ""

    @property
    def handle(self) -> str:
        """How a model names it."""
        return self.public_id.hex[:8]


class Passage(models.Model):
    """A part of a file's text, at most about a page. `page` is 0 where the file has no pages,
    `line` counts from 1; `heading` is the one that it stands under."""

    file = models.ForeignKey(SearchedFile, on_delete=models.CASCADE, related_name="passages")
    number = models.PositiveIntegerField()
    page = models.PositiveIntegerField(default=0)
    line = models.PositiveIntegerField()
    heading = SentenceField(blank=True, default="")
    text = SentenceField()

    class Meta:
        constraints = (
            # The passages of a file, in order.
            models.UniqueConstraint(fields=["file", "number"], name="passage_once_a_number"),
        )

    def __str__(self) -> str:
        return f"passage {self.number}"


class UnindexedFile(models.Model):
    """A file that was written and is not cut into passages yet. `key`: the attachment's primary
    key, or the negative of the project file's. Triggers of the database write these rows
    (`chat.search.triggers`)."""

    key = models.BigIntegerField()

    class Meta:
        indexes = (
            # What a deleted file leaves to be done.
            models.Index(fields=["key"], name="unindexed_file_key"),
        )

    def __str__(self) -> str:
        return f"file {self.key}"
