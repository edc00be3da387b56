"""Writes the sign-in log (`AuditEntry`)."""

from allauth.account.adapter import get_adapter
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from config.accounts.models import AuditEntry
from limits.audit import MAX_AUDITED_NAME


def record(action: AuditEntry.Action, request: HttpRequest, username: str) -> None:
    """Adds an entry, with the client address that the rate limits use."""
    name = username.replace("\0", "\N{REPLACEMENT CHARACTER}")[:MAX_AUDITED_NAME]
    AuditEntry.objects.create(action=action, username=name, address=_address(request))


def _address(request: HttpRequest) -> str | None:
    try:
        return str(get_adapter().get_client_ip(request))
    except PermissionDenied:
        return None
