"""What allauth asks us: whether sign-up is open, and what happens when people sign in."""

import unicodedata
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import ratelimit
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse

from config.accounts import devices, names
from config.accounts.audit import record
from config.accounts.models import AuditEntry
from config.accounts.proxies import warn_of_an_unknown_proxy


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth is not typed
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.SIGNUP)

    def clean_username(self, username: str, shallow: bool = False) -> str:
        cleaned: str = super().clean_username(unicodedata.normalize("NFKC", username), shallow)
        names.check(cleaned)
        return cleaned

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        warn_of_an_unknown_proxy(request)
        try:
            self._limit(request, **credentials)
        except ValidationError:
            record(AuditEntry.Action.THROTTLED, request, _typed(credentials))
            raise

    def _limit(self, request: HttpRequest, **credentials: Any) -> None:
        """By name and by address; a known device by itself. Raises ValidationError."""
        device = devices.device_of(request, _typed(credentials))
        if not device:
            super().pre_authenticate(request, **credentials)
            return
        if not _count_failure(request, device, dry_run=True):
            raise self.validation_error("too_many_login_attempts")

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        record(AuditEntry.Action.FAILED, request, _typed(credentials))
        device = devices.device_of(request, _typed(credentials))
        if device:
            _count_failure(request, device)

    def post_login(self, request: HttpRequest, user: Any, **rest: Any) -> HttpResponse:
        record(AuditEntry.Action.SIGNED_IN, request, user.get_username())
        response: HttpResponse = super().post_login(request, user, **rest)
        devices.remember(response, request, user)
        return response

    def logout(self, request: HttpRequest) -> None:
        record(AuditEntry.Action.SIGNED_OUT, request, request.user.get_username())
        super().logout(request)

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: the page that follows shows where one is."""


def _typed(credentials: dict[str, Any]) -> str:
    return str(credentials.get("username") or credentials.get("email") or "")


def _count_failure(request: HttpRequest, device: str, *, dry_run: bool = False) -> bool:
    """Whether the device may fail once more."""
    action = "login_failed_of_device"
    return bool(ratelimit.consume(request, action=action, key=device, dry_run=dry_run))
