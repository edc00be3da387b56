"""The root of the evidence of one conversation, probe, playground or trial."""

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from db import prepared
from db.prepared import Change, PreparedQuerySet


class ArchiveQuerySet(PreparedQuerySet["Archive"]):
    @prepared.one
    def lock(self, archive: int) -> "models.QuerySet[Archive, Any]":
        """Locks the row to the end of the transaction; `blobs` and `swept`. Rows that refer to the
        archive can be added meanwhile (`no_key`)."""
        locked = self.filter(pk=archive).select_for_update(no_key=True)
        return locked.values_list("blobs", "swept")

    @prepared.update
    def count_blobs(self, archive: int, blobs: int) -> Change:
        """Sets the count of ordinals in use."""
        return Change(self.filter(pk=archive), blobs=blobs)


class Archive(models.Model):
    """The traces and blobs of one conversation, probe, playground or trial.

    `blobs` is the count of ordinals in use. It changes only under the lock of the row, which keeps
    ordinals unique. `swept` changes, under the same lock, whenever blobs are deleted.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="archives"
    )
    # Of a subagent: the archive of the conversation that began it, with which it is deleted.
    parent = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="children"
    )
    blobs = models.PositiveBigIntegerField(default=0)
    swept = models.PositiveBigIntegerField(null=True, blank=True)
    created = models.DateTimeField(default=timezone.now)

    objects = ArchiveQuerySet.as_manager()

    def __str__(self) -> str:
        return str(self.public_id)
