"""Trying something from a page: the web process asks, the `tools` worker tries (`tools.trying`).

    ask_connection | ask_call ──► asked ──take──► running ──finish──► succeeded | failed

Trials are not kept: a user has the last few, and what a configuration held is emptied at the end.
"""

import logging
from dataclasses import asdict, replace
from typing import Any

from celery import current_app
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from db.fields import storable
from tools.mcp.config import ServerConfig
from tools.models import Server, ServerTool, Trial
from tools.permissions import may_change_servers

logger = logging.getLogger(__name__)

KEPT = 20
SECRETS = ("env", "headers")
MOST_OPEN = 4
NO_REDIS = "Redis is unreachable, so the trial was not started. Try again later."

State = Trial.State


def ask_connection(user: Any, config: ServerConfig) -> Trial:
    """Has the worker connect to a server that is not registered, or not like this."""
    tried = replace(config, sign_in=None, tells_addresses=may_change_servers(user))
    return _ask(Trial(user=user, kind=Trial.Kind.CONNECTION, config=asdict(tried)))


def ask_call(user: Any, tool: ServerTool, arguments: str) -> Trial:
    """Has the worker call `tool` with `arguments`, which are JSON text."""
    return _ask(
        Trial(
            user=user,
            server=tool.server,
            kind=Trial.Kind.CALL,
            tool=tool.name,
            arguments=arguments,
        )
    )


def has_room(user: Any) -> bool:
    """Whether this user may try one more thing beside what is being tried for them."""
    running = Trial.objects.for_user(user).filter(state__in=[State.ASKED, State.RUNNING])
    return sum(not trial.is_overdue for trial in running[: KEPT * 2]) < MOST_OPEN


def begin(server: Server) -> Trial:
    """The log of a check of a registered server, in the place of the one before."""
    server.trials.filter(kind=Trial.Kind.CONNECTION).delete()
    return Trial.objects.create(server=server, state=State.RUNNING)


def take(trial_pk: int) -> Trial | None:
    """The trial, if it was asked for and nobody else tries it."""
    asked = Trial.objects.filter(pk=trial_pk, state=State.ASKED)
    if not asked.update(state=State.RUNNING):
        return None
    return Trial.objects.select_related("server", "user").get(pk=trial_pk)


def finish(trial_pk: int, error: str, **changes: Any) -> None:
    """Ends the trial; its configuration is forgotten."""
    state = State.FAILED if error else State.SUCCEEDED
    Trial.objects.filter(pk=trial_pk).exclude(state__in=[State.SUCCEEDED, State.FAILED]).update(
        state=state, error=storable(error), ended=timezone.now(), config={}, **changes
    )


def config_of(trial: Trial) -> ServerConfig:
    """The configuration to try, as it was asked for."""
    stored = dict(trial.config)
    pairs = {
        name: tuple((key, value) for key, value in stored.get(name, ()))
        for name in ("env", "headers", "marks")
    }
    return ServerConfig(**{**stored, "args": tuple(stored["args"]), **pairs})


def _ask(trial: Trial) -> Trial:
    with transaction.atomic():
        trial.save()
        own = Trial.objects.for_user(trial.user).order_by("-id")
        Trial.objects.filter(pk__in=list(own.values_list("pk", flat=True)[KEPT:])).delete()
        transaction.on_commit(lambda: _ring(trial.pk, trial.user_id or 0))
    return trial


def _ring(trial_pk: int, user_pk: int) -> None:
    try:
        current_app.send_task(
            "tools.try", args=(trial_pk, user_pk), queue="tools", ignore_result=True, retry=False
        )
    except (OperationalError, OSError) as error:
        logger.warning("Redis is out of reach (%s)", error)
        finish(trial_pk, NO_REDIS)
