"""Setup of a worker process: Django, the engine, and the announcement that it is ready.

Imported by Celery (`include`), in workers only.
"""

from typing import Any

import django

django.setup()

from celery.signals import task_postrun, worker_ready
from django.db import close_old_connections

from audit.models import Door
from audit.recording import enter_as
from chat.engine.worker import celery_signals as engine
from chat.periodic import PERIODIC_WORK
from config import readiness


def _release_connection(**_: Any) -> None:
    """Returns the task's connection to PostgreSQL's pool; that of SQLite stays open."""
    close_old_connections()


def _announce_ready(**_: Any) -> None:
    readiness.announce()


task_postrun.connect(_release_connection, weak=False)
worker_ready.connect(_announce_ready, weak=False)
enter_as(Door.WORKER)
engine.attach(PERIODIC_WORK)
