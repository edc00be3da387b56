"""allauth's forms, in which a code works once (RFC 6238, 5.2): where a factor is set up, at the
sign-in, and where people show again who they are."""

from typing import Any

from allauth.mfa import app_settings
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base import forms as base
from allauth.mfa.totp import forms as totp
from django.contrib.auth.models import User
from django.core.cache import cache


class _OneUse:
    """allauth remembers a code for one period only, and not the one that sets up a factor."""

    user: User

    def clean_code(self) -> str:
        code: str = super().clean_code()  # type: ignore[misc]  # of the form beside it
        periods = 2 * app_settings.TOTP_TOLERANCE + 1
        key = f"code-used:{self.user.pk}:{''.join(code.split())}"
        if not cache.add(key, True, timeout=periods * app_settings.TOTP_PERIOD):
            error: Any = get_adapter().validation_error("incorrect_code")
            raise error
        return code


class ActivateTOTPForm(_OneUse, totp.ActivateTOTPForm):  # type: ignore[misc]  # not typed
    pass


class AuthenticateForm(_OneUse, base.AuthenticateForm):  # type: ignore[misc]
    pass


class ReauthenticateForm(_OneUse, base.ReauthenticateForm):  # type: ignore[misc]
    pass
