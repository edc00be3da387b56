"""What the sign-in log has of a person: for `chat.own_data`, by the setting `SIGN_IN_LOG`."""

from django.contrib.auth.models import User

from config.accounts.models import AuditEntry, AuditEntryQuerySet


def sign_ins(user: User) -> list[dict[str, str]]:
    """The entries under the user's name, newest first."""
    return [
        {"when": one.when.isoformat(), "action": one.action, "address": one.address or ""}
        for one in _entries(user)
    ]


def forget(user: User) -> int:
    """Deletes the entries under the user's name; how many."""
    return _entries(user).delete()[0]


def _entries(user: User) -> AuditEntryQuerySet:
    """Failed attempts have the name as it was typed; no two users have names that differ only by
    case."""
    return AuditEntry.objects.filter(username__iexact=user.get_username())
