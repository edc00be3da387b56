"""What Celery calls. The argument is a row's id; everything else is in the database."""

import logging

from celery import shared_task
from django.db import connection
from django.utils import timezone

from tools.mcp import listing
from tools.models import Server

logger = logging.getLogger(__name__)


@shared_task(name="tools.refresh", ignore_result=True)
def refresh(server_pk: int) -> None:
    look(server_pk)


def look(server_pk: int) -> None:
    """Look at the server if that was asked for and nobody else does."""
    asked = Server.objects.filter(pk=server_pk, check_state=Server.Check.ASKED)
    if not asked.update(check_state=Server.Check.RUNNING, check_changed=timezone.now()):
        return
    server = Server.objects.get(pk=server_pk)
    config = server.config()
    if not connection.in_atomic_block:
        connection.close()  # the look may take a minute
    try:
        finding = listing.look(config)
    except Exception as error:
        logger.exception("looking at the server %s failed", server)
        finding = listing.Finding(error=f"the check failed: {type(error).__name__}: {error}")
    listing.store(server, finding)
