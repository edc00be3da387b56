"""What somebody has set up as a second factor, and whether they have to before they may do anything
else.

By the setting MFA_REQUIRED; read wherever somebody comes in: pages, websockets, tokens.
"""

from dataclasses import dataclass

from allauth.mfa.models import Authenticator
from django.conf import settings

from db.users import AnyUser

# Recovery codes alone are none.
FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


def is_required(user: AnyUser) -> bool:
    """For everybody, or for admins: whoever may do more than members."""
    if settings.MFA_REQUIRED == "admins":
        return user.is_superuser or user.is_staff
    return bool(settings.MFA_REQUIRED == "everybody")


def has_one(user: AnyUser) -> bool:
    return bool(Authenticator.objects.filter(user_id=user.pk or 0, type__in=FACTORS).exists())


def is_lacking(user: AnyUser) -> bool:
    """One statement, for those of whom one is required."""
    return is_required(user) and not has_one(user)


@dataclass(frozen=True)
class Factors:
    has_totp: bool
    passkeys: int
    recovery_codes: int

    @property
    def any(self) -> bool:
        return self.has_totp or self.passkeys > 0


def factors_of(user: AnyUser) -> Factors:
    rows = list(Authenticator.objects.filter(user_id=user.pk or 0))
    types = [row.type for row in rows]
    codes = [row for row in rows if row.type == Authenticator.Type.RECOVERY_CODES]
    return Factors(
        has_totp=Authenticator.Type.TOTP in types,
        passkeys=types.count(Authenticator.Type.WEBAUTHN),
        recovery_codes=len(codes[0].wrap().get_unused_codes()) if codes else 0,
    )
