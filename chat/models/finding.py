"""What finds conversations again: tags, and the texts that wait for the index of words."""

from django.conf import settings
from django.db import models

from db.fields import LabelField
from db.users import AnyUser
from limits.search import MAX_TAG


class TagQuerySet(models.QuerySet["Tag"]):
    def for_user(self, user: AnyUser) -> "TagQuerySet":
        """The user's own tags."""
        return self.filter(owner_id=user.pk)


class Tag(models.Model):
    """A word by which a user groups conversations; one that no conversation has is deleted."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="conversation_tags"
    )
    name = LabelField(max_length=MAX_TAG)

    objects = TagQuerySet.as_manager()

    class Meta:
        constraints = (
            # A user's tags by name.
            models.UniqueConstraint(fields=["owner", "name"], name="tag_once_a_user"),
        )

    def __str__(self) -> str:
        return str(self.name)


class UnindexedText(models.Model):
    """A message or title that was written and is not in the index of words yet.

    `key`: the message's primary key, or the negative of the conversation's. Triggers of the
    database write these rows (`chat.search.triggers`), one for each change; the `tools` worker
    deletes those that it has read. The index is the table `chat_words`: on SQLite an FTS5 table, on
    PostgreSQL one of tsvectors.
    """

    key = models.BigIntegerField()

    class Meta:
        indexes = (
            # What a deleted message leaves to be done.
            models.Index(fields=["key"], name="unindexed_text_key"),
        )

    def __str__(self) -> str:
        return f"text {self.key}"
