"""What a worker has beyond the application: Django, the engine, and a word when it is ready.

Imported by Celery (`include`), in workers only.
"""

from typing import Any

import django

django.setup()

from celery.signals import task_postrun, worker_ready  # noqa: E402  # only after django.setup()
from django.db import close_old_connections  # noqa: E402

from chat.engine.worker import celery_signals as engine  # noqa: E402
from chat.periodic import PERIODIC_WORK  # noqa: E402
from config import readiness  # noqa: E402


def _let_go(**_: Any) -> None:
    """Gives the connection back to PostgreSQL's pool; SQLite's stays open."""
    close_old_connections()


def _ready(**_: Any) -> None:
    readiness.announce()


task_postrun.connect(_let_go, weak=False)
worker_ready.connect(_ready, weak=False)
engine.attach(PERIODIC_WORK)
