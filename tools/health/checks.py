"""Checks of servers: a page or a timer asks, the `tools` worker looks (`tools.tasks`).

Only a few servers of an owner are looked at at the same time, since a first start may download a
program, and nobody's servers wait for those of another: the others stay `asked`, and are rung again
when one is done (`ring_waiting`). The web process holds no session and starts no program, so it
does without the MCP client.
"""

import logging
import threading
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

import jobs
from jobs import ring
from limits.tools import MAX_CHECKS_AT_ONCE
from tools.models import Server

logger = logging.getLogger(__name__)

Check = Server.Check
_claiming = threading.Lock()

SERVER_CHECK = jobs.Kind(
    model=Server,
    task="tools.refresh",
    queue="tools",
    unreachable="the check could not be handed to the worker: Redis is out of reach",
    not_taken="no worker took the check",
    worker_gone="the worker stopped during the check",
    wait_in_line=True,
)


def ask(server: Server, user_pk: int | None = None) -> None:
    """Have the `tools` worker look at `server`; the outcome is written to its row.

    Where it wants an account, that of this user is used.
    """
    jobs.ask(
        SERVER_CHECK,
        server,
        check_user=user_pk,
        last_error_kind="",
        last_error_status=None,
        last_stderr="",
    )


def ask_by_name(name: str) -> None:
    """The same, unless it was asked for already; nothing if no server has that name, or if it
    wants an account: nobody in particular has none."""
    server = Server.objects.filter(name=name, enabled=True, uses_oauth=False).first()
    if server is not None and (server.is_overdue or not server.is_being_checked):
        ask(server)


def take(server_pk: int) -> Server | None:
    """The server, if the caller is to look at it: it was asked for, nobody else does, and there is
    room. Without room it waits."""
    with _claiming, transaction.atomic():
        asked = Server.objects.filter(pk=server_pk, check_state=Check.ASKED)
        owner = asked.values_list("owner", flat=True).first()
        return jobs.take(SERVER_CHECK, server_pk) if _room(owner) > 0 else None


def ring_waiting(untouched: timedelta = timedelta()) -> None:
    """Has those looked at that wait longest, as many as there is room for."""
    before = timezone.now() - untouched
    waiting = Server.objects.filter(check_state=Check.ASKED, check_changed__lte=before)
    oldest = waiting.order_by("check_changed", "pk").values_list("pk", "owner")
    room: dict[int | None, int] = {}
    try:
        for server_pk, owner in oldest:
            room[owner] = room.get(owner, _room(owner)) - 1
            if room[owner] >= 0:
                ring.send(SERVER_CHECK.task, SERVER_CHECK.queue, (server_pk,))
    except ring.UNREACHABLE as error:
        logger.warning("Redis is out of reach (%s); servers wait to be looked at", error)


def _room(owner: int | None) -> int:
    """How many more servers of this owner may be looked at; those whose worker is gone do not
    count."""
    alive = timezone.now() - Server.silent_within
    running = Server.objects.filter(check_state=Check.RUNNING, check_changed__gt=alive)
    return MAX_CHECKS_AT_ONCE - running.filter(owner=owner).count()
