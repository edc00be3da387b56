"""The health history of servers: one row for each attempt to open a session, the last ones kept."""

from limits.tools import MAX_CONTACT_ERROR, MAX_CONTACTS
from tools.models import Server, ServerContact
from tools.values.timing import CallTiming


def record(server: Server, purpose: str, *, error: str = "", latency_ms: int | None = None) -> None:
    """Stores an attempt, which has failed if there is an `error`; deletes old ones."""
    if not Server.objects.filter(pk=server.pk).exists():
        return  # deleted meanwhile
    ServerContact.objects.create(
        server=server,
        purpose=purpose,
        succeeded=not error,
        latency_ms=latency_ms,
        error=error[:MAX_CONTACT_ERROR],
    )
    surplus = server.contacts.values_list("pk", flat=True)[MAX_CONTACTS : MAX_CONTACTS + 1]
    for oldest in surplus:
        server.contacts.filter(pk__lte=oldest).delete()


def record_call(timing: CallTiming) -> None:
    """Stores the attempt of a call to open a session; nothing if one was open."""
    server = Server.objects.filter(name=timing.server).first() if timing.is_first else None
    if server is not None:
        record(
            server,
            ServerContact.Purpose.CALL,
            error=timing.failure,
            latency_ms=timing.opening_ms,
        )
