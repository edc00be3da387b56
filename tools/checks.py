"""Checking a server from a page: the web process asks, the `tools` worker looks.

    idle | succeeded | failed ──ask──► asked ──claim──► running ──► succeeded | failed

Only a few servers of an owner are looked at at the same time, since a first start may download a
program, and nobody's servers wait for those of another: the others stay `asked`, and are rung again
when one is done (`ring_waiting`). The web process holds no session and starts no program, so it
does without the MCP client: what looks is in `tools.tasks`.
"""

import logging
import threading
import time
from datetime import timedelta

from celery import current_app
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from tools.models import Server
from tools.models.servers import CHECK_OVERDUE_AFTER

logger = logging.getLogger(__name__)

Check = Server.Check
MOST_AT_ONCE = 3  # servers of an owner that are looked at; those of the admins are nobody's
BEAT_S = 15.0
_claiming = threading.Lock()


def ask(server: Server, user_pk: int | None = None) -> None:
    """Have the `tools` worker look at `server`; the outcome is written to its row.

    Where it wants an account, that of this user is used.
    """
    Server.objects.filter(pk=server.pk).update(
        check_state=Check.ASKED,
        check_changed=timezone.now(),
        check_user=user_pk,
        last_error="",
        last_stderr="",
    )
    transaction.on_commit(lambda: _ring(server.pk))


def ask_by_name(name: str) -> None:
    """The same, unless it was asked for already; nothing if no server has that name, or if it
    wants an account: nobody in particular has none."""
    server = Server.objects.filter(name=name, enabled=True, uses_oauth=False).first()
    if server is not None and (server.is_overdue or not server.is_being_checked):
        ask(server)


def claim(server_pk: int) -> bool:
    """Whether the caller looks at the server now: it was asked for, nobody else does, and there is
    room. Without room it waits."""
    now = timezone.now()
    with _claiming, transaction.atomic():
        asked = Server.objects.filter(pk=server_pk, check_state=Check.ASKED)
        owner = asked.values_list("owner", flat=True).first()
        if _room(owner) <= 0:
            return False
        return bool(asked.update(check_state=Check.RUNNING, check_changed=now))


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
                _send(server_pk)
    except (OperationalError, OSError) as error:
        logger.warning("Redis is out of reach (%s); servers wait to be looked at", error)


def _room(owner: int | None) -> int:
    """How many more servers of this owner may be looked at; those whose worker is gone do not
    count."""
    alive = timezone.now() - CHECK_OVERDUE_AFTER
    running = Server.objects.filter(check_state=Check.RUNNING, check_changed__gt=alive)
    return MOST_AT_ONCE - running.filter(owner=owner).count()


class Beat:
    """Says every now and then that a server is still being looked at, and that others wait for
    that: neither is overdue."""

    def __init__(self, server_pk: int) -> None:
        self._server_pk = server_pk
        self._last = time.monotonic()

    def __call__(self) -> None:
        if time.monotonic() - self._last < BEAT_S:
            return
        self._last, now = time.monotonic(), timezone.now()
        mine = Server.objects.filter(pk=self._server_pk, check_state=Check.RUNNING)
        mine.update(check_changed=now)
        Server.objects.filter(check_state=Check.ASKED).update(check_changed=now)


def _ring(server_pk: int) -> None:
    try:
        _send(server_pk)
    except (OperationalError, OSError) as error:
        logger.warning("Redis is out of reach (%s)", error)
        Server.objects.filter(pk=server_pk, check_state=Check.ASKED).update(
            check_state=Check.FAILED,
            check_changed=timezone.now(),
            last_error="the check could not be handed to the worker: Redis is out of reach",
        )


def _send(server_pk: int) -> None:
    current_app.send_task(
        "tools.refresh", args=(server_pk,), queue="tools", ignore_result=True, retry=False
    )
