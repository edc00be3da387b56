"""Keeping the stored lists of servers fresh beside the chat, without a beat: a worker's timer asks.

A few servers at a time, those first that were looked at longest ago, and each every half hour. One
that wants an account is looked at when somebody who has one uses it.
"""

from datetime import timedelta

from django.db.models import F, Q
from django.utils import timezone

import jobs
from limits.tools import MAX_REFRESHED_SERVERS
from tools.health import checks
from tools.models import Server

FRESH_FOR = timedelta(minutes=30)
WAITS_FOR = timedelta(minutes=1)  # before a check that was asked for is rung again
Check = Server.Check


def ask_the_stale() -> list[str]:
    """Asks for checks of the servers whose last check is too old or was abandoned by its worker;
    returns their names."""
    checks.ring_waiting(WAITS_FOR)
    abandoned = jobs.overdue(Server).filter(check_state=Check.RUNNING)
    old = Q(check_changed__lt=timezone.now() - FRESH_FOR)
    registered = Server.objects.filter(enabled=True, uses_oauth=False)
    # A server that was never checked is still being set up.
    stale = registered.exclude(check_state=Check.IDLE).filter(
        old | Q(pk__in=abandoned.values("pk"))
    )
    oldest = stale.order_by(F("check_changed").asc())[:MAX_REFRESHED_SERVERS]
    return [server.name for server in oldest if _asked(server)]


def _asked(server: Server) -> bool:
    """Asks for a check, unless another worker's timer just did."""
    unchanged = Server.objects.filter(pk=server.pk, check_changed=server.check_changed)
    if not unchanged.update(check_changed=timezone.now()):
        return False
    checks.ask(server)
    return True
