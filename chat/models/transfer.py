"""Imports of conversations, where they came from, and what a person gets and deletes of their
own."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext

from chat.models.conversations import Conversation
from db.fields import JSONTextField, LabelField
from db.users import AnyUser
from jobs import Job
from limits.transfer import MAX_IMPORT_SILENCE, MAX_IMPORT_WAIT

_OPEN_JOB = Q(state__in=["asked", "running"])


class ImportQuerySet(models.QuerySet["Import"]):
    def for_user(self, user: AnyUser) -> "ImportQuerySet":
        """The user's own imports."""
        return self.filter(user=user.pk)


class Import(Job):
    """A file of conversations that a person uploaded: read for a preview, then imported.

        preview: asked → running → succeeded ──person──► import: asked → running → succeeded

    `found` is what the preview found (`chat.transfer.preview.Preview`). `bytes_read` is how far the
    current step has read. `skips_broken`: whether the person imports what is whole of a file with
    broken conversations. An import that fails or is stopped deletes what it has written.
    """

    class Step(models.TextChoices):
        PREVIEW = "preview"
        IMPORT = "import"

    taken_within = MAX_IMPORT_WAIT
    silent_within = MAX_IMPORT_SILENCE

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="imports"
    )
    name = LabelField(max_length=200, blank=True, default="")
    size = models.PositiveBigIntegerField(help_text="Bytes of the file.")
    step = models.CharField(max_length=8, choices=Step.choices, default=Step.PREVIEW)
    found = JSONTextField(default=dict, blank=True)
    bytes_read = models.PositiveBigIntegerField(default=0)
    skips_broken = models.BooleanField(default=False)
    stop_requested = models.BooleanField(default=False)
    imported = models.PositiveIntegerField(default=0)
    repeated = models.PositiveIntegerField(default=0)

    objects = ImportQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
        constraints = (
            *Job.Meta.constraints,
            models.CheckConstraint(
                condition=Q(step__in=["preview", "import"]), name="import_step_known"
            ),
        )
        indexes = (
            # The sweep: imports that no worker works on any more.
            models.Index(fields=["id"], condition=_OPEN_JOB, name="import_open"),
        )

    def __str__(self) -> str:
        return str(self.name) or gettext("import %(id)s") % {"id": self.public_id}

    @property
    def is_previewed(self) -> bool:
        """Whether the person can decide on it."""
        return self.step == self.Step.PREVIEW and self.state == Job.State.SUCCEEDED

    @property
    def is_imported(self) -> bool:
        return self.step == self.Step.IMPORT and self.state == Job.State.SUCCEEDED

    @property
    def percent(self) -> int:
        """How much of the file the current step has read."""
        return min(100, 100 * self.bytes_read // self.size) if self.size else 0


class Origin(models.Model):
    """Where an imported conversation came from: a product, and the conversation's id there. The
    same one is imported once for each owner."""

    conversation = models.OneToOneField(
        Conversation, on_delete=models.CASCADE, related_name="origin"
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="origins"
    )
    product = models.CharField(max_length=16)
    key = models.CharField(max_length=200)
    imported_by = models.ForeignKey(
        Import, on_delete=models.SET_NULL, null=True, related_name="origins"
    )
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["owner", "product", "key"], name="origin_once"),
        )

    def __str__(self) -> str:
        return f"{self.product} {self.key}"


class DataArchiveQuerySet(models.QuerySet["DataArchive"]):
    def for_user(self, user: AnyUser) -> "DataArchiveQuerySet":
        """The user's own archives."""
        return self.filter(user=user.pk)


class DataArchive(Job):
    """Everything of a person as one zip, which a worker writes and a link serves until it
    expires. `size` is in bytes; `done` of `total` conversations are written."""

    taken_within = MAX_IMPORT_WAIT
    silent_within = MAX_IMPORT_SILENCE

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="data_archives"
    )
    size = models.PositiveBigIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    expires = models.DateTimeField(null=True, blank=True)

    objects = DataArchiveQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
        constraints = Job.Meta.constraints
        indexes = (
            # The sweep: archives that no worker works on any more.
            models.Index(fields=["id"], condition=_OPEN_JOB, name="data_archive_open"),
        )

    def __str__(self) -> str:
        return gettext("archive %(id)s") % {"id": self.public_id}

    @property
    def is_ready(self) -> bool:
        """Whether its file can be downloaded."""
        is_kept = self.expires is not None and self.expires > timezone.now()
        return self.state == Job.State.SUCCEEDED and is_kept


class AccountDeletion(Job):
    """The deletion of an account with all its data, and the receipt of what went.

    `user` is null once the account is gone; `counts` has the rows by kind, `steps` when each step
    of erasing them from storage was done (`tracing.retention.erasing`). Nothing here names the
    person: only who has the link can tell whose receipt it is.
    """

    taken_within = MAX_IMPORT_WAIT
    silent_within = MAX_IMPORT_SILENCE

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    counts = JSONTextField(default=dict, blank=True)
    steps = JSONTextField(default=dict, blank=True)

    class Meta:
        ordering = ("-id",)
        constraints = Job.Meta.constraints
        indexes = (
            # The sweep: deletions that no worker works on any more.
            models.Index(fields=["id"], condition=_OPEN_JOB, name="account_deletion_open"),
        )

    def __str__(self) -> str:
        return gettext("deletion %(id)s") % {"id": self.public_id}
