"""The transitions of a job. Each is a compare-and-set: of two that race, one answers False."""

import logging
from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from db.fields import storable
from jobs import ring
from jobs.kinds import Kind
from jobs.models import OPEN, J, State, overdue
from limits.tools import MAX_SWEPT_JOBS

logger = logging.getLogger(__name__)


def ask(
    kind: Kind[J], job: J, *arguments: object, among: QuerySet[J] | None = None, **values: Any
) -> bool:
    """Stores the job as asked for, and rings a worker on commit with its key and the arguments.

    A row that is stored already is asked for again with these values. False: it is not `among`
    those that may be.
    """
    with transaction.atomic():
        if job.pk is None:
            job.save()
        else:
            rows = kind.model._default_manager.all() if among is None else among
            changes = _changes(kind, State.ASKED) | {kind.model.columns.error: ""}
            if not rows.filter(pk=job.pk).update(**changes, **values):
                return False
        transaction.on_commit(partial(_ring, kind, job.pk, arguments))
    return True


def take(kind: Kind[J], pk: int, *related: str) -> J | None:
    """The job, which is the caller's now; None if nobody asked for it, or another has it."""
    epoch = kind.model.columns.epoch
    with transaction.atomic():
        changes = _changes(kind, State.RUNNING) | {epoch: F(epoch) + 1}
        if not _in_state(kind, pk, (State.ASKED,)).update(**changes):
            return None
        return kind.model._default_manager.select_related(*related).get(pk=pk)


def beat(kind: Kind[J], job: J, **having: Any) -> bool:
    """Says that the worker is at it. False: the job is over, is another worker's, or does not have
    these values."""
    rows = _taken(kind, job).filter(**having)
    return rows.update(**{kind.model.columns.changed: timezone.now()}) == 1


def finish(
    kind: Kind[J], job: J, error: str = "", *, is_stopped: bool = False, **values: Any
) -> bool:
    """Ends a job that the caller has taken, and sets these columns. False: it is over, or is
    another worker's."""
    succeeded = State.STOPPED if is_stopped else State.SUCCEEDED
    state = State.FAILED if error else succeeded
    return _end(kind, job.pk, _taken(kind, job), state, error, values)


def end(
    kind: Kind[J], pk: int, state: State, error: str = "", *, was: Sequence[State] = OPEN
) -> bool:
    """Ends a job in one of these states, whoever has it. False: it is in none of them."""
    return _end(kind, pk, _in_state(kind, pk, was), state, error, {})


def give_up(kind: Kind[J], job: J) -> bool:
    """Ends a job as failed if no worker took it in time, or the one that did is gone."""
    if not job.is_overdue:
        return False
    columns = kind.model.columns
    as_read = {name: getattr(job, name) for name in (columns.state, columns.changed)}
    error = kind.not_taken if as_read[columns.state] == State.ASKED else kind.worker_gone
    rows = kind.model._default_manager.filter(pk=job.pk, **as_read)
    return _end(kind, job.pk, rows, State.FAILED, error, {})


def sweep(kind: Kind[J]) -> int:
    """Gives up all jobs that are overdue; how many."""
    return sum(give_up(kind, job) for job in overdue(kind.model)[:MAX_SWEPT_JOBS])


def _end(
    kind: Kind[J], pk: int, rows: QuerySet[J], state: State, error: str, values: dict[str, Any]
) -> bool:
    changes = _changes(kind, state) | {kind.model.columns.error: storable(error)}
    with transaction.atomic():
        if not rows.update(**{**changes, **kind.emptied, **values}):
            return False
        kind.on_end(pk, state, error)
    return True


def _changes(kind: Kind[J], state: State) -> dict[str, Any]:
    columns = kind.model.columns
    return {columns.state: state, columns.changed: timezone.now()}


def _in_state(kind: Kind[J], pk: int, states: Sequence[State]) -> QuerySet[J]:
    column = kind.model.columns.state
    return kind.model._default_manager.filter(**{"pk": pk, f"{column}__in": states})


def _taken(kind: Kind[J], job: J) -> QuerySet[J]:
    """The job's row, as long as the one who took `job` has it."""
    epoch = kind.model.columns.epoch
    return _in_state(kind, job.pk, (State.RUNNING,)).filter(**{epoch: getattr(job, epoch)})


def _ring(kind: Kind[J], pk: int, arguments: Sequence[object]) -> None:
    try:
        ring.send(kind.task, kind.queue, (pk, *arguments))
    except ring.UNREACHABLE as error:
        logger.warning("Redis is out of reach (%s)", error)
        end(kind, pk, State.FAILED, kind.unreachable, was=(State.ASKED,))
