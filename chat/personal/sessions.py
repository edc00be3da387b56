"""The browsers in which a person is signed in, and signing the others out.

Django's sessions have no column for their user, so those of the person are picked: of the ones that
end last, which are the latest, for the list; of all to sign them out.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.utils import timezone

from chat.session_use import SINCE, USED, moment
from db.users import AnyUser
from limits.web import MAX_READ_SESSIONS

# The key of a session that says where it began (`config.accounts.devices.describe`).
AGENT = "agent"
_BROWSERS = (("Edg", "Edge"), ("OPR", "Opera"), ("Firefox", "Firefox"), ("Chrom", "Chrome"))
_SYSTEMS = (
    *(("Windows", "Windows"), ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad")),
    *(("Mac OS", "macOS"), ("Linux", "Linux")),
)


@dataclass(frozen=True)
class SignedIn:
    """One session. `id` names it on the page without giving its key away."""

    id: str
    browser: str
    since: datetime | None
    used: datetime | None
    is_current: bool


def of(user: AnyUser, current_key: str | None) -> list[SignedIn]:
    """The person's sessions, this one first."""
    found = [
        SignedIn(
            _id(key),
            named(str(values.get(AGENT) or "")),
            moment(values.get(SINCE)),
            moment(values.get(USED)),
            key == current_key,
        )
        for key, values in _of_user(user, _alive()[:MAX_READ_SESSIONS])
    ]
    return sorted(found, key=lambda one: not one.is_current)


def end(user: AnyUser, current_key: str | None, session_id: str = "") -> int:
    """Signs the person out of the session with this id, without one of all others; how many. Their
    sockets are closed within seconds (`chat.live.rights`)."""
    own = (key for key, _ in _of_user(user, _alive()))
    keys = [key for key in own if key != current_key and session_id in ("", _id(key))]
    return Session.objects.filter(session_key__in=keys).delete()[0]


def named(agent: str) -> str:
    """Browser and system of a `User-Agent`, as people call them; "" for an unknown one."""
    browser = next((name for mark, name in _BROWSERS if mark in agent), "")
    browser = browser or ("Safari" if "Safari" in agent else "")
    system = next((name for mark, name in _SYSTEMS if mark in agent), "")
    return ", ".join(filter(None, (browser, system)))


def _alive() -> QuerySet[Session]:
    return Session.objects.filter(expire_date__gt=timezone.now()).order_by("-expire_date")


def _of_user(user: AnyUser, rows: QuerySet[Session]) -> Iterator[tuple[str, dict[str, Any]]]:
    for session in rows.iterator(chunk_size=500):
        values = session.get_decoded()
        if values.get(SESSION_KEY) == str(user.pk):
            yield session.session_key, values


def _id(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:16]
