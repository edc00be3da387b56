"""Runs of a playground: the web process asks, a `turns` worker calls the model (`running`).

    ask ──► asked ──begin──► running ──finish──► succeeded | failed | stopped
             └──── stop, give_up ────┴───────────────────────┘

Each is a trace in the playground's archive. Its input is on record before it is rung.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from celery import current_app
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from kombu.exceptions import OperationalError

from chat.agent.windows import inherited_window
from chat.engine.served import described, served
from chat.errors import Rejected
from chat.llm.dialects import configured
from chat.llm.served import ModelInput, ServedModel
from chat.models import LanguageModel, Playground, PlaygroundRun
from chat.replay.playground import drafts
from chat.replay.playground.drafts import Draft
from db.fields import dump_json
from tracing import payloads
from tracing.models import Span, Trace

logger = logging.getLogger(__name__)

State = PlaygroundRun.State
MOST_OPEN = 4
NO_REDIS = "Redis is unreachable, so the run was not started. Run again later."
NOT_TAKEN = "No worker took this run. Check that the worker for answers is running, then run again."
WORKER_GONE = "The worker stopped during this run. Its output is lost; run again."
MODEL_GONE = "The model was deleted or is no longer available. Choose another one and run again."
TOO_MANY = f"{MOST_OPEN} runs are in progress. Stop one of them or wait until it ends."
TRACE_STATUS = {
    State.SUCCEEDED: Trace.Status.SUCCEEDED,
    State.FAILED: Trace.Status.FAILED,
    State.STOPPED: Trace.Status.STOPPED,
}
SPAN_STATUS = {
    State.SUCCEEDED: Span.Status.SUCCEEDED,
    State.FAILED: Span.Status.FAILED,
    State.STOPPED: Span.Status.CANCELLED,
}


@dataclass(frozen=True)
class Begun:
    """A run that is about to be made; no row is read from here on."""

    run: PlaygroundRun
    generation: Span
    asked: ServedModel
    meant: ModelInput


def ask(playground: Playground, text: str, user: User) -> PlaygroundRun:
    """Has a worker make the call that this draft describes. Raises Rejected, Unsendable."""
    draft = drafts.read(text, list(LanguageModel.objects.offered()))
    if _open_of(user) >= MOST_OPEN:
        raise Rejected(TOO_MANY)
    with transaction.atomic():
        # Also the lock that gives each run a number of its own.
        Playground.objects.filter(pk=playground.pk).update(updated=timezone.now(), draft=text)
        last = playground.runs.aggregate(last=Max("number"))["last"] or 0
        trace = _new_trace(playground, draft, last + 1)
        run = PlaygroundRun.objects.create(
            playground=playground, number=last + 1, trace=trace, model=draft.model, draft=text
        )
        _journal(trace, draft)
        transaction.on_commit(partial(_ring, run.pk, user.pk))
    return run


def begin(run_pk: int) -> Begun | None:
    """Takes the run on; None if it was taken, stopped, or cannot be made any more."""
    asked = PlaygroundRun.objects.filter(pk=run_pk, state=State.ASKED)
    if not asked.update(state=State.RUNNING, changed=timezone.now()):
        return None
    run = PlaygroundRun.objects.select_related("trace__archive", "model__provider").get(pk=run_pk)
    try:
        draft = drafts.read(run.draft, _offered(run))
    except Rejected:
        finish(run, State.FAILED, MODEL_GONE)
        return None
    generation = run.trace.spans.get(kind=Span.Kind.GENERATION)
    run.trace.spans.filter(pk__in=[generation.pk, generation.parent_id]).update(
        started=timezone.now()
    )
    return Begun(run, generation, _served(draft), draft.meant)


def beat(run: PlaygroundRun) -> bool:
    """Says that a worker is at it. False if it is to stop, or is not its own any more."""
    running = PlaygroundRun.objects.filter(pk=run.pk, state=State.RUNNING, stop_requested=False)
    return running.update(changed=timezone.now()) == 1


def stop(run: PlaygroundRun) -> None:
    """Ends what has not begun; asks the worker to end what has."""
    runs = PlaygroundRun.objects.filter(pk=run.pk)
    if runs.filter(state=State.ASKED).exists():
        finish(run, State.STOPPED, "", was=(State.ASKED,))
    runs.filter(state=State.RUNNING).update(stop_requested=True)


def give_up(run: PlaygroundRun) -> None:
    """Ends a run that nobody works on any more."""
    if run.is_overdue:
        sentence = NOT_TAKEN if run.state == State.ASKED else WORKER_GONE
        finish(run, State.FAILED, sentence, was=(run.state,))


def give_up_overdue() -> None:
    """Ends all runs that nobody works on any more, whoever looks at them."""
    for run in PlaygroundRun.objects.filter(state__in=PlaygroundRun.OPEN):
        give_up(run)


def finish(
    run: PlaygroundRun,
    state: PlaygroundRun.State,
    sentence: str,
    was: Sequence[str] = PlaygroundRun.OPEN,
) -> bool:
    """Ends the run and its trace, with what is open in it; the first end wins."""
    now = timezone.now()
    with transaction.atomic():
        rows = PlaygroundRun.objects.filter(pk=run.pk, state__in=was)
        if not rows.update(state=state, changed=now):
            return False
        Trace.objects.filter(pk=run.trace_id).update(status=TRACE_STATUS[state], ended=now)
        Span.objects.filter(trace=run.trace_id, status=Span.Status.RUNNING).update(
            status=SPAN_STATUS[state], ended=now, error=sentence
        )
    return True


def _open_of(user: User) -> int:
    runs = PlaygroundRun.objects.filter(trace__owner=user, state__in=PlaygroundRun.OPEN)
    return sum(not run.is_overdue for run in runs[: MOST_OPEN * 4])


def _served(draft: Draft) -> ServedModel:
    as_set = served(draft.model)
    if not draft.dialect:
        return as_set
    spoken = configured(
        draft.dialect,
        returns_reasoning=draft.model.returns_reasoning,  # type: ignore[arg-type]  # checked by the database
    )
    return ServedModel(as_set.name, as_set.endpoint, spoken, as_set.quirks)


def _offered(run: PlaygroundRun) -> list[LanguageModel]:
    return list(LanguageModel.objects.offered().filter(pk__in=[run.model_id]))


def _new_trace(playground: Playground, draft: Draft, number: int) -> Trace:
    attributes = {
        "playground": str(playground.public_id),
        "run": number,
        "model": draft.model.name,
    }
    return Trace.objects.create(
        archive=playground.archive,
        owner_id=playground.archive.owner_id,
        kind=Trace.Kind.PLAYGROUND,
        name=f"{playground} · run {number}",
        attributes=attributes,
    )


def _journal(trace: Trace, draft: Draft) -> None:
    """The spans of the one call, and what it is given."""
    root = Span.objects.create(trace=trace, kind=Span.Kind.TURN, name="run", started=trace.started)
    opened = Span.objects.create(
        trace=trace, parent=root, kind=Span.Kind.ROUND, name="round 1", started=trace.started
    )
    noted = described(draft.model, 1, inherited_window(None, draft.model))
    noted |= {"parameters": draft.meant.parameters, "dialect": draft.dialect or draft.model.speaks}
    generation = Span.objects.create(
        trace=trace,
        parent=opened,
        kind=Span.Kind.GENERATION,
        name=draft.model.name[:200],
        started=trace.started,
        attributes=noted,
    )
    payloads.store(generation, "input", dump_json(draft.meant.described()).encode())


def _ring(run_pk: int, user_pk: int) -> None:
    try:
        current_app.send_task(
            "chat.run_playground",
            args=(run_pk, user_pk),
            queue="turns",
            ignore_result=True,
            retry=False,
        )
    except (OperationalError, OSError) as error:
        logger.warning("Redis is out of reach (%s)", error)
        finish(PlaygroundRun.objects.get(pk=run_pk), State.FAILED, NO_REDIS)
