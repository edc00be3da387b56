"""What is special about one kind of job. Each kind has a module of its own beside its model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal

from jobs.models import J, State


def _nothing(pk: int, state: State, error: str) -> None:
    pass


@dataclass(frozen=True, eq=False)
class Kind(Generic[J]):
    """A kind of job: where its rows are, which Celery task and queue run it, how it ends.

    `unreachable`, `not_taken` and `worker_gone` are the errors of a job that could not be handed to
    the queue, that no worker took in time, and whose worker is gone. Where jobs `wait_in_line`,
    those that are asked for are not overdue while others of the kind run.
    """

    model: type[J]
    task: str
    queue: Literal["turns", "tools"]
    unreachable: str
    not_taken: str
    worker_gone: str
    wait_in_line: bool = False
    # Columns that an open job alone needs, and their values from its end on.
    emptied: Mapping[str, Any] = field(default_factory=dict)
    # Called in the transaction in which a job ends, with its key, state and error.
    on_end: Callable[[int, State, str], None] = _nothing
