"""What `allauth.mfa` calls."""

from typing import Any, ClassVar

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.utils.translation import gettext

from languages.later import later
from tools.encryption import cipher


class MFAAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth is not typed
    error_messages: ClassVar[dict[str, Any]] = {
        "add_email_blocked": later("An address cannot be added while a second factor is set up."),
        "cannot_delete_authenticator": later("This second factor cannot be removed."),
        "cannot_generate_recovery_codes": later(
            "Recovery codes are for who has an authenticator app or a passkey. Set one up first."
        ),
        "incorrect_code": later("This code is wrong or out of date. Try the next one."),
        "unverified_email": later("Verify your e-mail address first."),
    }

    def encrypt(self, text: str) -> str:
        """TOTP keys and seeds of recovery codes lie encrypted in the database."""
        return cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return cipher().decrypt(encrypted_text.encode()).decode()

    def generate_authenticator_name(self, user: User, type: Authenticator.Type) -> str:
        count = Authenticator.objects.filter(user=user, type=type).count()
        return gettext("Passkey %(number)s") % {"number": count + 1}

    def get_totp_label(self, user: User) -> str:
        return str(user.get_username())
