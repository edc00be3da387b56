"""allauth's forms, in which a code works once (RFC 6238, 5.2): where a factor is set up, at the
sign-in, and where people show again who they are."""

from typing import Any

from allauth.core.internal.cryptokit import normalize_user_code
from allauth.mfa import app_settings
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base import forms as base
from allauth.mfa.totp import forms as totp
from django.contrib.auth.models import User
from django.core.cache import cache


class _OneUse:
    """allauth remembers a code for one period only, and not the one that sets up a factor."""

    user: User
    cleaned_data: dict[str, Any]

    def clean_code(self) -> str:
        key = f"code-used:{self.user.pk}:{normalize_user_code(self.cleaned_data['code'])}"
        seconds = (2 * app_settings.TOTP_TOLERANCE + 1) * app_settings.TOTP_PERIOD
        # A used one is refused before allauth takes it for a success, after which it counts wrong
        # codes anew.
        if cache.get(key) is None:
            code: str = super().clean_code()  # type: ignore[misc]  # of the form beside it
            if cache.add(key, True, timeout=seconds):
                return code
        error: Any = get_adapter().validation_error("incorrect_code")
        raise error


class ActivateTOTPForm(_OneUse, totp.ActivateTOTPForm):  # type: ignore[misc]  # not typed
    pass


class AuthenticateForm(_OneUse, base.AuthenticateForm):  # type: ignore[misc]
    pass


class ReauthenticateForm(_OneUse, base.ReauthenticateForm):  # type: ignore[misc]
    pass
