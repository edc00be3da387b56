"""The columns of a job: of a row of its own, or within the row of what it is about."""

from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar, TypeVar

from django.db import models
from django.db.models import Q
from django.utils import timezone

from db.fields import SentenceField


@dataclass(frozen=True)
class Columns:
    """What a model calls the columns of its job."""

    state: str = "state"
    changed: str = "changed"
    epoch: str = "epoch"
    error: str = "error"


class BaseJob(models.Model):
    """What `transitions` needs of a model: the names of its columns, and how long a job may wait
    for a worker and a worker may be silent."""

    columns: ClassVar[Columns] = Columns()
    taken_within: ClassVar[timedelta]
    silent_within: ClassVar[timedelta]

    class Meta:
        abstract = True

    @property
    def is_overdue(self) -> bool:
        """Whether no worker took the job, or the one that did is probably gone."""
        state, changed = getattr(self, self.columns.state), getattr(self, self.columns.changed)
        if state not in OPEN:
            return False
        within = self.taken_within if state == State.ASKED else self.silent_within
        return changed is None or timezone.now() - changed > within


class Job(BaseJob):
    """A job with a row of its own.

        asked ──► running ──► succeeded | failed | stopped
          └──────────┴──► failed | stopped

    `changed` is the time of the last transition or heartbeat. `epoch` counts how often the job was
    taken: a worker may write as long as it is the one that it took. `error` is a sentence, empty
    unless the job failed.
    """

    class State(models.TextChoices):
        ASKED = "asked"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        STOPPED = "stopped"

    state = models.CharField(max_length=16, choices=State.choices, default=State.ASKED)
    epoch = models.PositiveIntegerField(default=0, editable=False)
    error = SentenceField(blank=True, default="")
    created = models.DateTimeField(default=timezone.now)
    changed = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True
        constraints = (
            models.CheckConstraint(
                condition=Q(state__in=["asked", "running", "succeeded", "failed", "stopped"]),
                name="%(class)s_state_known",
            ),
        )

    @property
    def is_open(self) -> bool:
        return self.state in OPEN

    @property
    def is_over(self) -> bool:
        return not self.is_open


State = Job.State
OPEN = (State.ASKED, State.RUNNING)


class Checkable(BaseJob):
    """Something that is checked again and again: the columns of its latest check.

        idle ──► asked ──► running ──► succeeded | failed      and from any of these to asked again

    The columns mean what those of `Job` do; what came of the check is in columns of the model.
    """

    class Check(models.TextChoices):
        IDLE = "idle"
        ASKED = "asked"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"

    columns = Columns("check_state", "check_changed", "check_epoch", "check_error")

    check_state = models.CharField(max_length=16, choices=Check.choices, default=Check.IDLE)
    check_changed = models.DateTimeField(null=True, blank=True)
    check_epoch = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        abstract = True
        constraints = (
            models.CheckConstraint(
                condition=Q(check_state__in=["idle", "asked", "running", "succeeded", "failed"]),
                name="%(class)s_check_state_known",
            ),
        )

    @property
    def is_being_checked(self) -> bool:
        return self.check_state in OPEN


J = TypeVar("J", bound=BaseJob)


def overdue(model: type[J]) -> "models.QuerySet[J]":
    """The jobs that no worker took in time, and those whose worker is probably gone."""
    now, columns = timezone.now(), model.columns
    state, changed = columns.state, columns.changed
    untaken = Q((state, State.ASKED), (f"{changed}__lt", now - model.taken_within))
    silent = Q((state, State.RUNNING), (f"{changed}__lt", now - model.silent_within))
    return model._default_manager.filter(untaken | silent)
