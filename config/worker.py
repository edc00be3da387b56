"""Setup of a worker process: Django, the engine, and the announcement that it is ready.

Imported by Celery (`include`), in workers only: in those of `config.work`, and in those of plain
`celery -A config worker -Q turns`.
"""

import os
from typing import Any

import django

django.setup()

from celery.signals import celeryd_init, setup_logging, task_postrun
from django.db import close_old_connections

from audit.models import Door
from audit.recording import enter_as
from chat.engine.worker import celery_signals as engine
from chat.periodic import PERIODIC_WORK
from config import database_state, readiness
from config.celery import app
from limits.processes import MAX_REDIS_SILENCE_S

# Threads of a worker of each queue, unless `-c` says otherwise.
THREADS = {"turns": 200, "tools": 64}
THREAD_POOL = "celery.concurrency.thread"


def _begin(conf: Any, options: dict[str, Any], **_: Any) -> None:
    """Refuses what a worker cannot run with, and waits for the database, before Redis is used."""
    queues = _queues(options.get("queues") or conf.task_default_queue)
    if unknown := queues - THREADS.keys():
        raise SystemExit(f"There is no queue {min(unknown)}. Work for -Q turns or -Q tools.")
    pool = options.get("pool") or THREAD_POOL
    if getattr(pool, "__module__", pool) not in (THREAD_POOL, "threads"):
        raise SystemExit("Turns and tool calls run in threads: leave -P out, or use -P threads.")
    conf.worker_concurrency = max(THREADS[queue] for queue in queues)
    _answer_probes()
    database_state.wait_until_usable()


def _answer_probes() -> None:
    port = int(os.environ.get("HEALTH_PORT") or 0)
    if not port:
        return
    from config import worker_probes  # whoever asks for no probes has no server

    try:
        worker_probes.listen(port)
    except OSError as error:
        raise SystemExit(f"HEALTH_PORT={port} cannot be used: {error.strerror}.") from None


def _queues(value: Any) -> set[str]:
    names = value.split(",") if isinstance(value, str) else value
    return {str(name).strip() for name in names}


def _keep_logging(**_: Any) -> None:
    """That of the settings is used: with a receiver of this signal Celery sets up none."""


def _release_connection(**_: Any) -> None:
    """Returns the task's connection to PostgreSQL's pool; that of SQLite stays open."""
    close_old_connections()


app.conf.broker_transport_options["socket_timeout"] = MAX_REDIS_SILENCE_S
celeryd_init.connect(_begin, weak=False)
setup_logging.connect(_keep_logging, weak=False)
task_postrun.connect(_release_connection, weak=False)
enter_as(Door.WORKER)
engine.attach(app, PERIODIC_WORK, readiness.announce)
