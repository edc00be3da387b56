"""What the sign-in log has of a person: for `chat.own_data`, by the setting `SIGN_IN_LOG`."""

from django.contrib.auth.models import User

from config.accounts.models import AuditEntry


def sign_ins(user: User) -> list[dict[str, str]]:
    """The entries under the user's name, newest first."""
    entries = AuditEntry.objects.filter(username=user.get_username())
    return [
        {"when": one.when.isoformat(), "action": one.action, "address": one.address or ""}
        for one in entries
    ]


def forget(user: User) -> int:
    """Deletes the entries under the user's name; how many."""
    return AuditEntry.objects.filter(username=user.get_username()).delete()[0]
