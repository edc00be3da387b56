"""How a person signs in: password, second factor, an account at the sign-in provider."""

from typing import Any

from allauth.socialaccount.models import SocialAccount
from django.conf import settings

from db.users import AnyUser
from tokens.second_factor import factors_of


def context(user: AnyUser) -> dict[str, Any]:
    return {
        "has_password": user.is_authenticated and user.has_usable_password(),
        "factors": factors_of(user),
        "provider": settings.OIDC,
        "is_linked": bool(settings.OIDC)
        and SocialAccount.objects.filter(user_id=user.pk or 0).exists(),
    }
