"""Checks of models: an admin's page asks, a `turns` worker tries (`trying`).

Each check is a trace of its own, in an archive of the admin who asked. What is to be checked, and
what came of it, is in that trace; the model's row only says how far it is.
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
        "Redis is unreachable, so the test was not started. The settings are saved; test again "
        "when Redis is back."
    ),
    not_taken="No worker took it. Check that the worker for answers is running, then test again.",
    worker_gone="The worker stopped meanwhile. Test again.",
    on_end=_end_trace,
)


class What(StrEnum):
    """`TEST` makes one call the way a turn would; `PROBE` finds out which dialect to speak."""

    TEST = "test"
    PROBE = "probe"


@dataclass(frozen=True)
class Check:
    """A check that is about to run; no row is read from here on."""

    model: LanguageModel
    trace: Trace
    root: Span

    @property
    def what(self) -> What:
        return What(trace_attributes(self.trace)["check"])


@dataclass(frozen=True)
class Finding:
    """What came of a check: an error's sentence, or what a probe found."""

    error: str = ""
    probed: dict[str, Any] = field(default_factory=dict)


def ask(model: LanguageModel, user: User, what: What) -> bool:
    """Has a worker check the model. False if a check is on its way already."""
    rows = LanguageModel.objects.filter(pk=model.pk)
    overdue = jobs.overdue(LanguageModel).values("pk")
    free = rows.filter(~Q(check_state__in=jobs.OPEN) | Q(pk__in=overdue))
    with transaction.atomic():
        before = rows.values_list("check_trace", flat=True)[0]
        trace = _new_trace(model, user, what)
        if not jobs.ask(MODEL_CHECK, model, user.pk, among=free, check_trace=trace):
            transaction.set_rollback(True)
            return False
        recorder.end_if_running(before, Trace.Status.STOPPED, "Another check took its place.")
    return True


def begin(model_pk: int) -> Check | None:
    """Takes the check on; None if it was taken, or is over."""
    model = jobs.take(MODEL_CHECK, model_pk, "provider", "check_trace__archive")
    if model is None:
        return None
    trace = model.check_trace
    if trace is None:  # its owner's account was deleted meanwhile
        jobs.finish(MODEL_CHECK, model, "The check's trace was deleted. Test again.")
        return None
    return Check(model, trace, trace.spans.get(kind=Span.Kind.TURN))


def still_running(check: Check) -> bool:
    """Whether nobody asked again since; moves the time by which the check is expected."""
    return jobs.beat(MODEL_CHECK, check.model)


def finish(check: Check, finding: Finding) -> None:
    """Closes the trace and says on the model's row what came of it."""
    found: dict[str, Any] = {"probed": finding.probed} if finding.probed else {}
    jobs.finish(MODEL_CHECK, check.model, finding.error, **found)


def _new_trace(model: LanguageModel, user: User, what: What) -> Trace:
    name = f"{what.capitalize()} of {model}"[:200]
    archive = Archive.objects.create(owner=user)
    attributes: TraceAttributes = {"check": what.value, "model": model.name}
    root = recorder.begin_trace(
        archive.pk, user.pk, name, attributes, kind=Trace.Kind.PROBE, root_name=name
    )
    return root.trace
