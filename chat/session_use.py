"""When a browser was last used by the person who is signed in there: kept in its session, for the
list of sessions in the settings. The session's end does not move.
"""

from datetime import datetime

from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from limits.web import MAX_USE_AGE

# Keys of a session: when it began (`config.accounts.devices.describe`), and when it was last used.
SINCE, USED = "signed_in", "used"


def note(request: HttpRequest) -> None:
    """Keeps that the session is in use; one statement, at most once in `MAX_USE_AGE`. A session
    that does not say when it began is left alone."""
    session, now = request.session, timezone.now()
    last = moment(session.get(USED)) or moment(session.get(SINCE))
    if last is None or now - last < MAX_USE_AGE:
        return
    values = {**dict(session.items()), USED: now.isoformat()}
    rows = Session.objects.filter(session_key=session.session_key)
    rows.update(session_data=session.encode(values))


def moment(value: object) -> datetime | None:
    """A time of a session, as it is kept."""
    try:
        return parse_datetime(value) if isinstance(value, str) else None
    except ValueError:
        return None
