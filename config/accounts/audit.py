"""Writing down who signs in."""

from allauth.account.adapter import get_adapter
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from config.accounts.models import AuditEntry
from limits.web import MAX_AUDITED_NAME


def record(action: AuditEntry.Action, request: HttpRequest, username: str) -> None:
    """One entry, with the address as the rate limits see it."""
    shown = username.replace("\0", "\N{REPLACEMENT CHARACTER}")[:MAX_AUDITED_NAME]
    AuditEntry.objects.create(action=action, username=shown, address=_address(request))


def _address(request: HttpRequest) -> str | None:
    try:
        return str(get_adapter().get_client_ip(request))
    except PermissionDenied:
        return None
