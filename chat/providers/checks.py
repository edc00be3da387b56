"""Checking a model from a page: the web process asks, a `turns` worker tries (`trying`).

    idle | succeeded | failed ──ask──► asked ──begin──► running ──finish──► succeeded | failed

Each check is a trace of its own, in an archive of the admin who asked. What is to be checked, and
what came of it, is in that trace; the model's row only says how far it is.
"""

import logging
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any

from celery import current_app
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from kombu.exceptions import OperationalError

from chat.models import LanguageModel
from tracing.models import Archive, Span, Trace

logger = logging.getLogger(__name__)

State = LanguageModel.Check
NO_REDIS = (
    "Redis is unreachable, so the test was not started. The settings are saved; test again when "
    "Redis is back."
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
        return What(self.trace.attributes["check"])


@dataclass(frozen=True)
class Finding:
    """What came of a check: an error's sentence, or what a probe found."""

    error: str = ""
    probed: dict[str, Any] = field(default_factory=dict)


def ask(model: LanguageModel, user: Any, what: What) -> bool:
    """Has a worker check the model. False if a check is on its way already."""
    now = timezone.now()
    with transaction.atomic():
        trace = _new_trace(model, user, what)
        before = LanguageModel.objects.filter(pk=model.pk).values_list("check_trace", flat=True)[0]
        free = LanguageModel.objects.filter(pk=model.pk).filter(
            ~Q(check_state__in=[State.ASKED, State.RUNNING])
            | Q(pk__in=LanguageModel.objects.overdue(now).values("pk"))
        )
        fields = {"check_state": State.ASKED, "check_changed": now, "check_error": ""}
        if not free.update(**fields, check_trace=trace):
            transaction.set_rollback(True)
            return False
        _close_trace(before, Trace.Status.STOPPED, "Another check took its place.")
        transaction.on_commit(partial(_ring, model.pk, trace.pk, user.pk))
    return True


def begin(model_pk: int) -> Check | None:
    """Takes the check on; None if it was taken, or is over."""
    asked = LanguageModel.objects.filter(pk=model_pk, check_state=State.ASKED)
    if not asked.update(check_state=State.RUNNING, check_changed=timezone.now()):
        return None
    model = LanguageModel.objects.select_related("provider", "check_trace__archive").get(
        pk=model_pk
    )
    trace = model.check_trace
    if trace is None:  # its owner's account was deleted meanwhile
        finish_row(model_pk, None, Finding("The check's trace was deleted. Test again."))
        return None
    return Check(model, trace, trace.spans.get(kind=Span.Kind.TURN))


def still_running(check: Check) -> bool:
    """Whether nobody asked again since; moves the time by which the check is expected."""
    rows = LanguageModel.objects.filter(
        pk=check.model.pk, check_trace=check.trace, check_state=State.RUNNING
    )
    return rows.update(check_changed=timezone.now()) == 1


def finish(check: Check, finding: Finding) -> None:
    """Closes the trace and says on the model's row what came of it."""
    with transaction.atomic():
        finish_row(check.model.pk, check.trace.pk, finding)
        status = Trace.Status.FAILED if finding.error else Trace.Status.SUCCEEDED
        _close_trace(check.trace.pk, status, finding.error)


def finish_row(model_pk: int, trace_pk: int | None, finding: Finding) -> None:
    state = State.FAILED if finding.error else State.SUCCEEDED
    fields: dict[str, Any] = {"check_state": state, "check_error": finding.error}
    if finding.probed:
        fields["probed"] = finding.probed
    rows = LanguageModel.objects.filter(pk=model_pk, check_trace=trace_pk)
    rows.filter(check_state__in=[State.ASKED, State.RUNNING]).update(
        **fields, check_changed=timezone.now()
    )


def _new_trace(model: LanguageModel, user: Any, what: What) -> Trace:
    name = f"{what.capitalize()} of {model}"[:200]
    archive = Archive.objects.create(owner=user)
    attributes = {"check": what.value, "model": model.name}
    trace = Trace.objects.create(
        archive=archive, owner=user, kind=Trace.Kind.PROBE, name=name, attributes=attributes
    )
    Span.objects.create(trace=trace, kind=Span.Kind.TURN, name=name, started=trace.started)
    return trace


def _close_trace(trace_pk: int | None, status: Trace.Status, error: str) -> None:
    """Ends a trace that still runs, and what is open in it."""
    now = timezone.now()
    running = Trace.objects.filter(pk__in=[trace_pk], status=Trace.Status.RUNNING)
    if not running.update(status=status, ended=now):
        return
    ends = {
        Trace.Status.SUCCEEDED: Span.Status.SUCCEEDED,
        Trace.Status.FAILED: Span.Status.FAILED,
        Trace.Status.STOPPED: Span.Status.CANCELLED,
    }
    Span.objects.filter(trace__in=[trace_pk], status=Span.Status.RUNNING).update(
        status=ends[status], ended=now, error=error
    )


def _ring(model_pk: int, trace_pk: int, user_pk: int) -> None:
    try:
        current_app.send_task(
            "chat.check_model",
            args=(model_pk, user_pk),
            queue="turns",
            ignore_result=True,
            retry=False,
        )
    except (OperationalError, OSError) as error:
        logger.warning("Redis is out of reach (%s)", error)
        finish_row(model_pk, trace_pk, Finding(NO_REDIS))
        _close_trace(trace_pk, Trace.Status.FAILED, NO_REDIS)
