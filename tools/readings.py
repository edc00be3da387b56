"""Resources and prompts on their way from a server to a page.

    asked ──run, in the `tools` worker──► running ──► succeeded | failed ──take──► (gone)

The web process holds no session: it asks here, and looks again until there is an answer.
"""

import logging
from datetime import timedelta
from pathlib import Path
from typing import Any

from celery import current_app
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from db.fields import dump_json
from tools.models import Reading, Server

logger = logging.getLogger(__name__)

State = Reading.State
KEPT = timedelta(hours=1)
LONGEST = 20_000_000  # characters of an answer, as JSON
UNREACHABLE = "Redis is unreachable, so the server was not asked. Try again later."


def ask(user: Any, server: Server, kind: str, wanted: dict[str, Any], workspace: Path) -> Reading:
    """Has the `tools` worker read it; what nobody came back for is forgotten."""
    Reading.objects.filter(created__lt=timezone.now() - KEPT).delete()
    reading = Reading.objects.create(
        user=user, server=server, kind=kind, wanted=wanted, workspace=str(workspace)
    )
    transaction.on_commit(lambda: _ring(reading.pk, user.pk))
    return reading


def _ring(pk: int, user_pk: int) -> None:
    try:
        current_app.send_task(
            "tools.read", args=(pk, user_pk), queue="tools", ignore_result=True, retry=False
        )
    except (OperationalError, OSError) as error:
        logger.warning("Redis is out of reach (%s)", error)
        fail(pk, UNREACHABLE)


def begin(pk: int) -> Reading | None:
    """Takes it over, if nobody has."""
    if not Reading.objects.filter(pk=pk, state=State.ASKED).update(state=State.RUNNING):
        return None
    return Reading.objects.select_related("server").get(pk=pk)


def succeed(pk: int, found: dict[str, Any]) -> None:
    if len(dump_json(found)) > LONGEST:
        fail(pk, f"The answer is too large: more than {LONGEST // 1_000_000} MB.")
        return
    Reading.objects.filter(pk=pk, state=State.RUNNING).update(state=State.SUCCEEDED, found=found)


def fail(pk: int, error: str) -> None:
    open_ones = Reading.objects.filter(pk=pk, state__in=[State.ASKED, State.RUNNING])
    open_ones.update(state=State.FAILED, error=error[:1000])
