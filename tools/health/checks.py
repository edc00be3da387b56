"""Checks of servers: a page or a timer asks, the `tools` worker connects (`tools.tasks`).

At most `MAX_CHECKS_AT_ONCE` of an owner run at a time, since a first start may download a program.
The others stay `asked`, and are rung again when one has ended (`ring_waiting`). The web process
holds no session and starts no program, so it does not import the MCP client.
"""

import logging
import threading
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

import jobs
from jobs import ring
from languages.stored import stored
from limits.tools import MAX_CHECKS_AT_ONCE
from tools.models import Server

logger = logging.getLogger(__name__)

Check = Server.Check
_claiming = threading.Lock()

SERVER_CHECK = jobs.Kind(
    model=Server,
    task="tools.refresh",
    queue="tools",
    unreachable=stored("the check could not be handed to the worker: Redis is out of reach"),
    not_taken=stored("no worker took the check"),
    worker_gone=stored("the worker stopped during the check"),
    wait_in_line=True,
)


def ask(server: Server, user_pk: int | None = None) -> None:
    """Asks the `tools` worker to check `server` with this user's account, if it needs one."""
    jobs.ask(
        SERVER_CHECK,
        server,
        check_user=user_pk,
        last_error_kind="",
        last_error_status=None,
        last_stderr="",
    )


def ask_by_name(name: str) -> None:
    """Asks for a check of the server with this name, unless one is open or it needs an account."""
    server = Server.objects.filter(name=name, enabled=True, uses_oauth=False).first()
    if server is not None and (server.is_overdue or not server.is_being_checked):
        ask(server)


def take(server_pk: int) -> Server | None:
    """The server, if its check is now the caller's; None if another worker has it. With too many
    checks of its owner under way it waits."""
    with _claiming, transaction.atomic():
        asked = Server.objects.filter(pk=server_pk, check_state=Check.ASKED)
        owner = asked.values_list("owner", flat=True).first()
        return jobs.take(SERVER_CHECK, server_pk) if _room(owner) > 0 else None


def ring_waiting(untouched: timedelta = timedelta()) -> None:
    """Rings again the checks that wait longest, as many as may run."""
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
    """How many more checks of this owner's servers may run. Checks of lost workers do not count."""
    alive = timezone.now() - Server.silent_within
    running = Server.objects.filter(check_state=Check.RUNNING, check_changed__gt=alive)
    return MAX_CHECKS_AT_ONCE - running.filter(owner=owner).count()
