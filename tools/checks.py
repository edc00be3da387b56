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


def ask(server: Server, user_pk: int | None = None) -> None:
    """Have the `tools` worker look at `server`; the outcome is written to its row.

    Where it wants an account, that of this user is used.
    """
    Server.objects.filter(pk=server.pk).update(
        check_state=Check.ASKED, check_changed=timezone.now(), last_error="", last_stderr=""
    )
    transaction.on_commit(lambda: _ring(server.pk, user_pk))


def ask_by_name(name: str) -> None:
    """The same, unless it was asked for already; nothing if no server has that name, or if it
    wants an account: nobody in particular has none."""
    server = Server.objects.filter(name=name, enabled=True, uses_oauth=False).first()
    if server is not None and (server.is_overdue or not server.is_being_checked):
        ask(server)


def _ring(server_pk: int, user_pk: int | None) -> None:
    args = (server_pk,) if user_pk is None else (server_pk, user_pk)
    try:
        current_app.send_task(
            "tools.refresh", args=args, queue="tools", ignore_result=True, retry=False
        )
    except (OperationalError, OSError) as error:
        logger.warning("Redis is out of reach (%s)", error)
        Server.objects.filter(pk=server_pk, check_state=Check.ASKED).update(
            check_state=Check.FAILED,
            check_changed=timezone.now(),
            last_error="the check could not be handed to the worker: Redis is out of reach",
        )
