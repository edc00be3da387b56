"""The adapter that allauth calls: whether sign-up is open, names, rate limits, the sign-in log."""

import unicodedata
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import ratelimit
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse

from audit.models import Action
from config.accounts import devices, language, names
from config.accounts.audit import record
from config.accounts.proxies import warn_of_unknown_proxy


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth is not typed
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.SIGNUP)

    def clean_username(self, username: str, shallow: bool = False) -> str:
        name: str = super().clean_username(unicodedata.normalize("NFKC", username), shallow)
        names.check(name)
        return name

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        warn_of_unknown_proxy(request)
        try:
            self._limit(request, **credentials)
        except ValidationError:
            record(Action.THROTTLED, request, _typed_name(credentials))
            raise

    def _limit(self, request: HttpRequest, **credentials: Any) -> None:
        """Limits failures by name and by address; those of a known device by the device alone.

        Raises ValidationError.
        """
        device = devices.device_of(request, _typed_name(credentials))
        if not device:
            super().pre_authenticate(request, **credentials)
            return
        if not _count_failure(request, device, dry_run=True):
            raise self.validation_error("too_many_login_attempts")

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        record(Action.FAILED, request, _typed_name(credentials))
        device = devices.device_of(request, _typed_name(credentials))
        if device:
            _count_failure(request, device)

    def post_login(self, request: HttpRequest, user: Any, **rest: Any) -> HttpResponse:
        devices.describe(request)
        record(Action.SIGNED_IN, request, user.get_username())
        response: HttpResponse = super().post_login(request, user, **rest)
        devices.remember(response, request, user)
        language.remember(response, user)
        return response

    def logout(self, request: HttpRequest) -> None:
        record(Action.SIGNED_OUT, request, request.user.get_username())
        super().logout(request)

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """Suppresses allauth's flash messages: the next page shows whether one is signed in."""


def _typed_name(credentials: dict[str, Any]) -> str:
    return str(credentials.get("username") or credentials.get("email") or "")


def _count_failure(request: HttpRequest, device: str, *, dry_run: bool = False) -> bool:
    """Whether the device may fail again; counts a failure unless `dry_run`."""
    action = "login_failed_of_device"
    return bool(ratelimit.consume(request, action=action, key=device, dry_run=dry_run))
