"""Checking a server from a page: the web process asks, the `tools` worker looks.

    idle | succeeded | failed ──ask──► asked ──look──► running ──► succeeded | failed

The web process holds no session and starts no program, so it does without the MCP client: what
looks is in `tools.tasks`.
"""

import logging

from celery import current_app
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from tools.models import Server

logger = logging.getLogger(__name__)

Check = Server.Check


def ask(server: Server) -> None:
    """Have the `tools` worker look at `server`; the outcome is written to its row."""
    Server.objects.filter(pk=server.pk).update(
        check_state=Check.ASKED, check_changed=timezone.now(), last_error="", last_stderr=""
    )
    transaction.on_commit(lambda: _ring(server.pk))


def ask_by_name(name: str) -> None:
    """The same, unless it was asked for already; nothing if no server has that name."""
    server = Server.objects.filter(name=name, enabled=True).first()
    if server is not None and (server.is_overdue or not server.is_being_checked):
        ask(server)


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
