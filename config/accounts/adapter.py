"""What allauth asks us: whether sign-up is open, and what happens when people sign in."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse

from config.accounts.audit import record
from config.accounts.models import AuditEntry


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth is not typed
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.SIGNUP)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError:
            record(AuditEntry.Action.THROTTLED, request, _typed(credentials))
            raise

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        record(AuditEntry.Action.FAILED, request, _typed(credentials))

    def post_login(self, request: HttpRequest, user: Any, **rest: Any) -> HttpResponse:
        record(AuditEntry.Action.SIGNED_IN, request, user.get_username())
        response: HttpResponse = super().post_login(request, user, **rest)
        return response

    def logout(self, request: HttpRequest) -> None:
        record(AuditEntry.Action.SIGNED_OUT, request, request.user.get_username())
        super().logout(request)

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: the page that follows shows where one is."""


def _typed(credentials: dict[str, Any]) -> str:
    return str(credentials.get("username") or credentials.get("email") or "")
