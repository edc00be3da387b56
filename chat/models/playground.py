"""Playgrounds: model calls that are repeated with changed requests."""

import uuid

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from chat.models.providers import LanguageModel
from db.fields import JSONTextField, LabelField
from db.users import AnyUser
from jobs import Job
from limits.models import MAX_RUN_SILENCE, MAX_RUN_WAIT
from tracing.models import Archive, Span, Trace


class PlaygroundQuerySet(models.QuerySet["Playground"]):
    def for_user(self, user: AnyUser) -> "PlaygroundQuerySet":
        """The user's own playgrounds."""
        return self.filter(archive__owner_id=user.pk)

    def delete(self) -> tuple[int, dict[str, int]]:
        """Deletes the archives, and with them the playgrounds and the traces of their runs."""
        return Archive.objects.filter(playground__in=self).delete()


class Playground(models.Model):
    """A model call to repeat with a changed request: the draft of the request, and the runs.

    `draft` is JSON text as somebody types it, so it may be none yet (`chat.playground`).
    `source` is the generation that it was opened with, if it is still there.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    archive = models.OneToOneField(Archive, on_delete=models.CASCADE, related_name="playground")
    source = models.ForeignKey(
        Span, on_delete=models.SET_NULL, null=True, blank=True, related_name="playgrounds"
    )
    title = LabelField(max_length=200, blank=True, default="")
    draft = JSONTextField(default=str, blank=True)
    created = models.DateTimeField(default=timezone.now)
    updated = models.DateTimeField(default=timezone.now)

    objects = PlaygroundQuerySet.as_manager()

    class Meta:
        ordering = ("-updated", "-id")

    def __str__(self) -> str:
        return str(self.title) or "Playground"

    def get_absolute_url(self) -> str:
        return reverse("playground:playground", args=[self.public_id])

    def delete(
        self, using: str | None = None, keep_parents: bool = False
    ) -> tuple[int, dict[str, int]]:
        """Deletes the archive, and with it this row and the traces of its runs."""
        return self.archive.delete(using=using, keep_parents=keep_parents)


# The longest wait of a run for a worker, and the longest silence of a worker that runs it.


class PlaygroundRun(Job):
    """One call of a model that a playground made.

    `draft` is the JSON text as it was when the run was asked for; what was really sent and what
    came back is in the trace.
    """

    taken_within = MAX_RUN_WAIT
    silent_within = MAX_RUN_SILENCE

    playground = models.ForeignKey(Playground, on_delete=models.CASCADE, related_name="runs")
    number = models.PositiveIntegerField()
    trace = models.OneToOneField(Trace, on_delete=models.CASCADE, related_name="playground_run")
    model = models.ForeignKey(LanguageModel, on_delete=models.SET_NULL, null=True)
    draft = JSONTextField(default=str, blank=True)
    stop_requested = models.BooleanField(default=False)

    class Meta:
        constraints = (
            *Job.Meta.constraints,
            models.UniqueConstraint(
                fields=["playground", "number"], name="playground_run_number_once"
            ),
        )
        indexes = (
            # The sweep: runs that no worker may work on any more.
            models.Index(
                fields=["id"],
                condition=Q(state__in=["asked", "running"]),
                name="playground_run_open",
            ),
        )

    def __str__(self) -> str:
        return gettext("run %(number)s") % {"number": self.number}
