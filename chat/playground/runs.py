"""Runs of a playground: the web process starts one, a `turns` worker calls the model (`running`).

Each is a trace in the playground's archive. Its input is stored before the worker is notified.
"""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

import jobs
from chat.agent.windows import inherited_window
from chat.engine.generation.model_settings import opening_attributes, served
from chat.errors import Rejected
from chat.llm.dialects import configured
from chat.llm.served import ModelInput, ServedModel
from chat.models import LanguageModel, Playground, PlaygroundRun
from chat.playground import drafts
from chat.playground.drafts import Draft
from db.fields import dump_json
from jobs import State
from languages.later import later
from languages.stored import stored
from limits.replay import MAX_OPEN_RUNS
from tracing import recorder
from tracing.models import Span, Trace
from tracing.models.attributes import TraceAttributes
from tracing.store import payloads

MODEL_GONE = stored(
    "The model was deleted or is no longer available. Choose another one and run again."
)
TOO_MANY = later(
    "%(most)s runs are in progress. Stop one of them or wait until it ends.", most=MAX_OPEN_RUNS
)


def _end_trace(run_pk: int, state: State, error: str) -> None:
    trace_pk = PlaygroundRun.objects.values_list("trace", flat=True).get(pk=run_pk)
    recorder.end_if_running(trace_pk, Trace.Status(state), error)


PLAYGROUND_RUN = jobs.Kind(
    model=PlaygroundRun,
    task="chat.run_playground",
    queue="turns",
    unreachable=stored("Redis is unreachable, so the run was not started. Run again later."),
    not_taken=(
        stored(
            "No worker took this run. Check that the worker for answers is running, then run again."
        )
    ),
    worker_gone=stored("The worker stopped during this run. Its output is lost; run again."),
    on_end=_end_trace,
)


@dataclass(frozen=True)
class StartedRun:
    """A run that a worker has taken. Running it reads no more rows."""

    run: PlaygroundRun
    generation: Span
    served: ServedModel
    meant: ModelInput


def ask(playground: Playground, text: str, user: User) -> PlaygroundRun:
    """Starts a run of this draft. Raises Rejected, Unsendable."""
    draft = drafts.read(text, list(LanguageModel.objects.for_user(user)))
    if _open_of(user) >= MAX_OPEN_RUNS:
        raise Rejected(TOO_MANY)
    with transaction.atomic():
        # This also locks the row, so that each run gets a unique number.
        Playground.objects.filter(pk=playground.pk).update(updated=timezone.now(), draft=text)
        last = playground.runs.aggregate(last=Max("number"))["last"] or 0
        root = _begin_trace(playground, draft, last + 1)
        run = PlaygroundRun(
            playground=playground, number=last + 1, trace=root.trace, model=draft.model, draft=text
        )
        _journal(playground, root, draft)
        jobs.ask(PLAYGROUND_RUN, run, user.pk)
    return run


def begin(run_pk: int) -> StartedRun | None:
    """Takes the run; None if it was taken or stopped, or its model is gone."""
    run = jobs.take(PLAYGROUND_RUN, run_pk, "trace__archive", "model__provider")
    if run is None:
        return None
    try:
        draft = drafts.read(run.draft, _offered(run))
    except Rejected:
        jobs.finish(PLAYGROUND_RUN, run, MODEL_GONE)
        return None
    generation = run.trace.spans.get(kind=Span.Kind.GENERATION)
    run.trace.spans.filter(pk__in=[generation.pk, generation.parent_id]).update(
        started=timezone.now()
    )
    return StartedRun(run, generation, _served(draft), draft.meant)


def beat(run: PlaygroundRun) -> bool:
    """Extends the run's deadline. False if it is to stop, or another worker has it."""
    return jobs.beat(PLAYGROUND_RUN, run, stop_requested=False)


def stop(run: PlaygroundRun) -> None:
    """Ends a run that has not begun; asks the worker to end one that has."""
    if not jobs.end(PLAYGROUND_RUN, run.pk, State.STOPPED, was=(State.ASKED,)):
        runs = PlaygroundRun.objects.filter(pk=run.pk, state=State.RUNNING)
        runs.update(stop_requested=True)


def _open_of(user: User) -> int:
    runs = PlaygroundRun.objects.filter(trace__owner=user, state__in=jobs.OPEN)
    return sum(not run.is_overdue for run in runs[: MAX_OPEN_RUNS * 4])


def _served(draft: Draft) -> ServedModel:
    as_configured = served(draft.model)
    if not draft.dialect:
        return as_configured
    dialect = configured(
        draft.dialect,
        returns_reasoning=draft.model.returns_reasoning,  # type: ignore[arg-type]  # checked by the database
    )
    return ServedModel(as_configured.name, as_configured.endpoint, dialect, as_configured.quirks)


def _offered(run: PlaygroundRun) -> list[LanguageModel]:
    return list(LanguageModel.objects.offered().filter(pk__in=[run.model_id]))


def _begin_trace(playground: Playground, draft: Draft, number: int) -> Span:
    attributes: TraceAttributes = {
        "playground": str(playground.public_id),
        "run": number,
        "model": draft.model.name,
    }
    return recorder.begin_trace(
        playground.archive.pk,
        playground.archive.owner_id,
        f"{playground} · run {number}",
        attributes,
        kind=Trace.Kind.PLAYGROUND,
        root_name="run",
    )


def _journal(playground: Playground, root: Span, draft: Draft) -> None:
    """The spans of the one call, and its input."""
    attributes = opening_attributes(draft.model, 1, inherited_window(None, draft.model))
    attributes["parameters"] = draft.meant.parameters
    attributes["dialect"] = draft.dialect or draft.model.speaks
    generation = recorder.open_generation(recorder.open_round(root), draft.model.name, attributes)
    body = dump_json(draft.meant.described()).encode()
    payloads.store_all(playground.archive, [(generation, "input", body, {})])
