"""Checking a server from a page: the web process asks, the `tools` worker looks.

    idle | succeeded | failed ──ask──► asked ──run──► running ──► succeeded | failed

The web process holds no session and starts no program.
"""

import logging

from celery import current_app
from django.db import connection, transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from tools.mcp import listing
from tools.models import Server

logger = logging.getLogger(__name__)

Check = Server.Check


def ask(server: Server) -> None:
    """Have the `tools` worker look at `server`; the outcome is written to its row."""
    Server.objects.filter(pk=server.pk).update(
        check_state=Check.ASKED, check_changed=timezone.now(), last_error="", last_stderr=""
    )
    transaction.on_commit(lambda: _ring(server.pk))


def run(server_pk: int) -> None:
    """Look at the server if that was asked for and nobody else does."""
    asked = Server.objects.filter(pk=server_pk, check_state=Check.ASKED)
    if not asked.update(check_state=Check.RUNNING, check_changed=timezone.now()):
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


def _ring(server_pk: int) -> None:
    try:
        current_app.send_task(
            "tools.refresh", args=(server_pk,), queue="tools", ignore_result=True, retry=False
        )
    except (OperationalError, OSError) as error:
        logger.warning("Redis is out of reach (%s)", error)
        Server.objects.filter(pk=server_pk, check_state=Check.ASKED).update(
            check_state=Check.FAILED,
            check_changed=timezone.now(),
            last_error="the check could not be handed to the worker: Redis is out of reach",
        )
