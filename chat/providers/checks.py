"""Checks of models: an admin's page starts one, a `turns` worker runs it (`check_runner`).

Each check is a trace of its own, in an archive of the admin who started it. The trace has its kind
and its calls, the model's row only its state.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

import jobs
from chat.models import LanguageModel
from jobs import State
from languages.stored import stored
from tracing import recorder
from tracing.models import Archive, Span, Trace
from tracing.models.attributes import TraceAttributes, trace_attributes


def _end_trace(model_pk: int, state: State, error: str) -> None:
    trace_pk = LanguageModel.objects.values_list("check_trace", flat=True).get(pk=model_pk)
    recorder.end_if_running(trace_pk, Trace.Status(state), error)


MODEL_CHECK = jobs.Kind(
    model=LanguageModel,
    task="chat.check_model",
    queue="turns",
    unreachable=(
        stored(
            "Redis is unreachable, so the test was not started. The settings are saved; test again "
            "when Redis is back."
        )
    ),
    not_taken=stored(
        "No worker took it. Check that the worker for answers is running, then test again."
    ),
    worker_gone=stored("The worker stopped meanwhile. Test again."),
    on_end=_end_trace,
)


class CheckKind(StrEnum):
    """`TEST` makes one call as a turn would; `PROBE` finds out the model's dialect."""

    TEST = "test"
    PROBE = "probe"


@dataclass(frozen=True)
class Check:
    """A check that a worker has taken. Running it reads no more rows."""

    model: LanguageModel
    trace: Trace
    root: Span

    @property
    def kind(self) -> CheckKind:
        return CheckKind(trace_attributes(self.trace)["check"])


@dataclass(frozen=True)
class CheckResult:
    """The result of a check: the sentence of an error, or the conclusion of a probe."""

    error: str = ""
    probed: dict[str, Any] = field(default_factory=dict)


def ask(model: LanguageModel, user: User, kind: CheckKind) -> bool:
    """Starts a check of the model. False if one is in progress."""
    rows = LanguageModel.objects.filter(pk=model.pk)
    overdue = jobs.overdue(LanguageModel).values("pk")
    free = rows.filter(~Q(check_state__in=jobs.OPEN) | Q(pk__in=overdue))
    with transaction.atomic():
        before = rows.values_list("check_trace", flat=True)[0]
        trace = _new_trace(model, user, kind)
        if not jobs.ask(MODEL_CHECK, model, user.pk, among=free, check_trace=trace):
            transaction.set_rollback(True)
            return False
        recorder.end_if_running(
            before, Trace.Status.STOPPED, stored("Another check took its place.")
        )
    return True


def begin(model_pk: int) -> Check | None:
    """Takes the check; None if another worker took it, or it is over."""
    model = jobs.take(MODEL_CHECK, model_pk, "provider", "check_trace__archive")
    if model is None:
        return None
    trace = model.check_trace
    if trace is None:  # its owner's account was deleted meanwhile
        jobs.finish(MODEL_CHECK, model, stored("The check's trace was deleted. Test again."))
        return None
    return Check(model, trace, trace.spans.get(kind=Span.Kind.TURN))


def still_running(check: Check) -> bool:
    """Extends the check's deadline. False if another check has replaced it."""
    return jobs.beat(MODEL_CHECK, check.model)


def finish(check: Check, result: CheckResult) -> None:
    """Closes the trace and stores the result in the model's row."""
    columns: dict[str, Any] = {"probed": result.probed} if result.probed else {}
    jobs.finish(MODEL_CHECK, check.model, result.error, **columns)


def _new_trace(model: LanguageModel, user: User, kind: CheckKind) -> Trace:
    name = f"{kind.capitalize()} of {model}"[:200]
    archive = Archive.objects.create(owner=user)
    attributes: TraceAttributes = {"check": kind.value, "model": model.name}
    root = recorder.begin_trace(
        archive.pk, user.pk, name, attributes, kind=Trace.Kind.PROBE, root_name=name
    )
    return root.trace
