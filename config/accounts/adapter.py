"""The adapter that allauth calls: whether sign-up is open, names, rate limits, the sign-in log."""

import unicodedata
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context, ratelimit
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse

from audit.models import Action
from audit.recording import record as record_event
from config.accounts import devices, language, mails, names, signing_in
from config.accounts.audit import record
from config.accounts.proxies import warn_of_unknown_proxy
from languages.later import later

PASSWORD_NOTICES = frozenset(
    f"account/email/password_{what}" for what in ("changed", "set", "reset")
)
# What was done to an account, by the notice of allauth's.
RECORDED: dict[str, tuple[Action, str]] = {
    **dict.fromkeys(PASSWORD_NOTICES, (Action.PASSWORD_CHANGED, "password")),
    "mfa/email/totp_activated": (Action.FACTOR_ADDED, "totp"),
    "mfa/email/totp_deactivated": (Action.FACTOR_REMOVED, "totp"),
    "mfa/email/webauthn_added": (Action.FACTOR_ADDED, "webauthn"),
    "mfa/email/webauthn_removed": (Action.FACTOR_REMOVED, "webauthn"),
    "mfa/email/recovery_codes_generated": (Action.RECOVERY_CODES_MADE, "recovery_codes"),
}
# What a person is told of by mail, by the notice of allauth's.
NOTICES = {
    **dict.fromkeys(PASSWORD_NOTICES, later("The password of your account was changed.")),
    "mfa/email/totp_activated": later("An authenticator app was set up for your account."),
    "mfa/email/totp_deactivated": later("The authenticator app of your account was removed."),
    "mfa/email/webauthn_added": later("A passkey was added to your account."),
    "mfa/email/webauthn_removed": later("A passkey was removed from your account."),
    "mfa/email/recovery_codes_generated": later("New recovery codes were made for your account."),
    "socialaccount/email/account_connected": later(
        "Your account was linked with one at a sign-in provider."
    ),
    "socialaccount/email/account_disconnected": later(
        "Your account is no longer linked with the one at a sign-in provider."
    ),
}


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth is not typed
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.SIGNUP == "open")

    def clean_username(self, username: str, shallow: bool = False) -> str:
        name: str = super().clean_username(unicodedata.normalize("NFKC", username), shallow)
        names.check(name)
        return name

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Not of who has nothing to show: they sign in by links, or at the sign-in provider."""
        is_required: bool = super().is_reauthentication_required(app=app, **kwargs)
        return is_required and bool(self.get_reauthentication_methods(context.request.user))

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
        methods = signing_in.methods_of(request, user)
        action = Action.LINK_USED if signing_in.LINK in methods else Action.SIGNED_IN
        record(action, request, user.get_username(), by=methods)
        response: HttpResponse = super().post_login(request, user, **rest)
        devices.remember(response, request, user)
        language.remember(response, user)
        return response

    def logout(self, request: HttpRequest) -> None:
        record(Action.SIGNED_OUT, request, request.user.get_username())
        super().logout(request)

    def send_notification_mail(
        self, template_prefix: str, user: Any, *args: Any, **rest: Any
    ) -> None:
        """allauth tells of each change of an account here: it is recorded, and the person gets a
        notice of our own, if there is a mail server."""
        if template_prefix in RECORDED:
            action, factor = RECORDED[template_prefix]
            record_event(action, user, user, factor=factor)
        if sentence := NOTICES.get(template_prefix):
            context = {"sentence": str(sentence), "username": user.get_username()}
            mails.send(user.email, "notice", context)

    def send_password_reset_mail(self, user: Any, email: str, context: dict[str, Any]) -> None:
        link = context["password_reset_url"]
        mails.send(email, "password_reset", {"link": link, "username": user.get_username()})

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """Suppresses allauth's flash messages: the next page shows whether one is signed in."""


def _typed_name(credentials: dict[str, Any]) -> str:
    return str(credentials.get("username") or credentials.get("email") or "")


def _count_failure(request: HttpRequest, device: str, *, dry_run: bool = False) -> bool:
    """Whether the device may fail again; counts a failure unless `dry_run`."""
    action = "login_failed_of_device"
    return bool(ratelimit.consume(request, action=action, key=device, dry_run=dry_run))
