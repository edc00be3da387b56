"""Resources and prompts on their way from a server to a page, which takes the answer once.

The web process holds no session: it asks here, and looks again until there is an answer.
"""

from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

import jobs
from db.fields import dump_json
from languages.stored import stored
from limits.tools import MAX_READING, MAX_READING_AGE, MAX_READING_ERROR
from tools.models import Reading, Server

READING = jobs.Kind(
    model=Reading,
    task="tools.read",
    queue="tools",
    unreachable=stored("Redis is unreachable, so the server was not asked. Try again later."),
    not_taken=stored(
        "No worker took it. Check that the worker for tools is running, then try again."
    ),
    worker_gone=stored("The worker stopped meanwhile. Try again."),
)


def ask(user: User, server: Server, kind: str, wanted: dict[str, Any], workspace: Path) -> Reading:
    """Asks the `tools` worker to read it. Deletes old readings that nobody took."""
    Reading.objects.filter(created__lt=timezone.now() - MAX_READING_AGE).delete()
    reading = Reading(user=user, server=server, kind=kind, wanted=wanted, workspace=str(workspace))
    jobs.ask(READING, reading, user.pk)
    return reading


def succeed(reading: Reading, found: dict[str, Any]) -> None:
    if len(dump_json(found)) > MAX_READING:
        fail(
            reading,
            stored(
                "The answer is too large: more than %(most)s MB.", most=MAX_READING // 1_000_000
            ),
        )
        return
    jobs.finish(READING, reading, found=found)


def fail(reading: Reading, error: str) -> None:
    jobs.finish(READING, reading, error[:MAX_READING_ERROR])
