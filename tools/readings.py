"""Resources and prompts on their way from a server to a page, which takes the answer once.

The web process holds no session: it asks here, and looks again until there is an answer.
"""

from datetime import timedelta
from pathlib import Path
from typing import Any

from django.utils import timezone

import jobs
from db.fields import dump_json
from tools.models import Reading, Server

KEPT = timedelta(hours=1)
LONGEST = 20_000_000  # characters of an answer, as JSON
LONGEST_ERROR = 1000

READING = jobs.Kind(
    model=Reading,
    task="tools.read",
    queue="tools",
    unreachable="Redis is unreachable, so the server was not asked. Try again later.",
    not_taken="No worker took it. Check that the worker for tools is running, then try again.",
    worker_gone="The worker stopped meanwhile. Try again.",
)


def ask(user: Any, server: Server, kind: str, wanted: dict[str, Any], workspace: Path) -> Reading:
    """Has the `tools` worker read it; what nobody came back for is forgotten."""
    Reading.objects.filter(created__lt=timezone.now() - KEPT).delete()
    reading = Reading(user=user, server=server, kind=kind, wanted=wanted, workspace=str(workspace))
    jobs.ask(READING, reading, user.pk)
    return reading


def succeed(reading: Reading, found: dict[str, Any]) -> None:
    if len(dump_json(found)) > LONGEST:
        fail(reading, f"The answer is too large: more than {LONGEST // 1_000_000} MB.")
        return
    jobs.finish(READING, reading, found=found)


def fail(reading: Reading, error: str) -> None:
    jobs.finish(READING, reading, error[:LONGEST_ERROR])
