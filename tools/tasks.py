"""What Celery calls. The argument is a row's id; everything else is in the database."""

import logging

from celery import shared_task
from django.utils import timezone

from tools import trials, trying
from tools.mcp import listing
from tools.models import Server

logger = logging.getLogger(__name__)


@shared_task(name="tools.refresh", ignore_result=True)
def refresh(server_pk: int) -> None:
    look(server_pk)


@shared_task(name="tools.try", ignore_result=True)
def try_once(trial_pk: int) -> None:
    trying.run(trial_pk)


def look(server_pk: int) -> None:
    """Look at the server if that was asked for and nobody else does."""
    asked = Server.objects.filter(pk=server_pk, check_state=Server.Check.ASKED)
    if not asked.update(check_state=Server.Check.RUNNING, check_changed=timezone.now()):
        return
    server = Server.objects.get(pk=server_pk)
    trial = trials.begin(server)
    try:
        finding = trying.look(server.config(), trial)
    except Exception as error:
        logger.exception("looking at the server %s failed", server)
        finding = listing.Finding(error=f"the check failed: {type(error).__name__}: {error}")
    trials.finish(trial.pk, finding.error)
    listing.store(server, finding)
