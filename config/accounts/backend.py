"""Signing in by name and password, and reading the user of a session with their settings."""

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest


class AccountBackend(AuthenticationBackend):  # type: ignore[misc]  # allauth is not typed
    """allauth's, with the personal settings in the statement that reads the user."""

    def authenticate(
        self, request: HttpRequest | None, **credentials: Any
    ) -> AbstractBaseUser | None:
        """Whoever this one refuses is refused: the backend after it keeps old sessions alone."""
        user: AbstractBaseUser | None = super().authenticate(request, **credentials)
        if user is None:
            raise PermissionDenied
        return user

    def get_user(self, user_id: int) -> User | None:
        user = User.objects.select_related("personal").filter(pk=user_id).first()
        return user if user is not None and self.user_can_authenticate(user) else None
