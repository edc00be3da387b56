"""Trials, the jobs that try something from a page; the `tools` worker tries
(`tools.trials.running`).

Trials are not kept: a user has the last few, and what a configuration held is emptied at the end.
"""

from dataclasses import asdict, replace

from django.contrib.auth.models import User
from django.db import transaction

import jobs
from jobs import State
from languages.stored import stored
from limits.tools import MAX_KEPT_TRIALS, MAX_OPEN_TRIALS
from tools.models import Server, ServerTool, Trial
from tools.permissions import may_change_servers
from tools.values.server_config import ServerConfig
from tracing import recorder
from tracing.models import Trace


def _end_trace(trial_pk: int, state: State, error: str) -> None:
    """Ends the trace of a call whose worker is gone."""
    trace_pk = Trial.objects.filter(pk=trial_pk).values_list("trace", flat=True).first()
    recorder.end_if_running(trace_pk, Trace.Status(state), error)


TRIAL = jobs.Kind(
    model=Trial,
    task="tools.try",
    queue="tools",
    unreachable=stored("Redis is unreachable, so the trial was not started. Try again later."),
    not_taken=stored(
        "No worker took it. Check that the worker for tools is running, then try again."
    ),
    worker_gone=stored(
        "The worker stopped: the result is unknown. Try again if that does no harm."
    ),
    emptied={"config": {}},
    on_end=_end_trace,
)


def ask_connection(user: User, config: ServerConfig) -> Trial:
    """Asks the worker to connect with a configuration that is not registered."""
    own_config = replace(config, sign_in=None, tells_addresses=may_change_servers(user))
    return _ask(Trial(user=user, kind=Trial.Kind.CONNECTION, config=asdict(own_config)))


def ask_call(user: User, tool: ServerTool, arguments: str) -> Trial:
    """Asks the worker to call `tool` with `arguments`, a JSON text."""
    return _ask(
        Trial(
            user=user,
            server=tool.server,
            kind=Trial.Kind.CALL,
            tool=tool.name,
            arguments=arguments,
        )
    )


def has_room(user: User) -> bool:
    """Whether this user has fewer than `MAX_OPEN_TRIALS` open trials."""
    running = Trial.objects.for_user(user).filter(state__in=jobs.OPEN)
    return sum(not trial.is_overdue for trial in running[: MAX_KEPT_TRIALS * 2]) < MAX_OPEN_TRIALS


def begin(server: Server) -> Trial:
    """The trial that logs a check of a registered server; it replaces the last one."""
    server.trials.filter(kind=Trial.Kind.CONNECTION).delete()
    return Trial.objects.create(server=server, state=State.RUNNING)


def take(trial_pk: int) -> Trial | None:
    """The trial, which is now the caller's; None if another worker has it."""
    return jobs.take(TRIAL, trial_pk, "server", "user")


def config_of(trial: Trial) -> ServerConfig:
    """The configuration to try, as it was asked for."""
    stored = dict(trial.config)
    pairs = {
        name: tuple((key, value) for key, value in stored.get(name, ()))
        for name in ("env", "headers", "marks")
    }
    return ServerConfig(**{**stored, "args": tuple(stored["args"]), **pairs})


def _ask(trial: Trial) -> Trial:
    assert trial.user is not None  # who asks
    with transaction.atomic():
        jobs.ask(TRIAL, trial, trial.user.pk)
        own = Trial.objects.for_user(trial.user).order_by("-id")
        Trial.objects.filter(
            pk__in=list(own.values_list("pk", flat=True)[MAX_KEPT_TRIALS:])
        ).delete()
    return trial
