"""What `allauth.socialaccount` calls: who gets an account, linking, the page of an error."""

import logging
from typing import Any

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, _build_apps_from_settings
from allauth.socialaccount.providers.base.constants import AuthError, AuthProcess
from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from audit.models import Action
from audit.recording import record
from config.accounts import addresses, audit
from config.accounts.oidc import mapping
from config.accounts.oidc.claims import Claims
from config.accounts.oidc.connection import Unreachable
from config.oidc_settings import configured_provider
from languages.later import later

logger = logging.getLogger(__name__)

# How an account was linked, in the audit log.
BY_ADDRESS, BY_SETTINGS = "verified address", "settings"

UNREACHABLE = later("The sign-in provider does not answer. Try again in a minute.")
UNUSABLE = later(
    "The sign-in provider answered something that cannot be trusted, so nobody was signed in. An "
    "admin finds the reason in the log of this server."
)
CANCELLED = later("The sign-in was cancelled at the provider.")
OUT_OF_DATE = later("This sign-in is out of date, or was begun in another browser. Begin again.")
TAKEN = later(
    "An account here has your e-mail address, and the provider does not say that the address is "
    "yours. Sign in to that account, and link it in the settings, under Security."
)
LINKED_ELSEWHERE = later("This account of the provider is linked with another account here.")


def failed(request: HttpRequest, sentence: str, status: int) -> HttpResponse:
    audit.record(Action.PROVIDER_FAILED, request, "")
    return render(request, "account/oidc_failed.html", {"sentence": sentence}, status=status)


class OIDCAccountAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth is not typed
    def list_apps(
        self, request: HttpRequest, provider: str | None = None, client_id: str | None = None
    ) -> list[Any]:
        """The provider of the environment; rows of the database are none."""
        apps = _build_apps_from_settings(provider=provider, client_id=client_id)
        return [app for found in apps.values() for app in found]

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,
        error: str | None = None,
        exception: Exception | None = None,
        extra_context: dict[str, Any] | None = None,
    ) -> None:
        """Answers with a page that says what happened."""
        if isinstance(exception, Unreachable):
            sentence, status = UNREACHABLE, 502
        elif error == AuthError.CANCELLED:
            sentence, status = CANCELLED, 403
        elif exception is None and "state" not in (extra_context or {}):
            sentence, status = OUT_OF_DATE, 403
        else:
            sentence, status = UNUSABLE, 502
        logger.warning("sign-in by OpenID Connect failed: %s", _reason(error, exception))
        raise ImmediateHttpResponse(failed(request, str(sentence), status))

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """Links by a verified address, or refuses; gives roles to who has an account."""
        is_linking = sociallogin.state.get("process") == AuthProcess.CONNECT
        if is_linking:
            if sociallogin.is_existing and sociallogin.user.pk != request.user.pk:
                raise ImmediateHttpResponse(failed(request, str(LINKED_ELSEWHERE), 409))
            return
        if not sociallogin.is_existing:
            self._link_by_address(request, sociallogin)
        if sociallogin.is_existing:
            mapping.apply(sociallogin.user, sociallogin.claims, configured_provider())

    def _link_by_address(self, request: HttpRequest, sociallogin: Any) -> None:
        """Both sides have to have verified the address."""
        claims: Claims = sociallogin.claims
        if not claims.email or not addresses.is_taken(claims.email):
            return
        owner = addresses.verified_owner(claims.email) if claims.is_verified else None
        if owner is None:
            raise ImmediateHttpResponse(failed(request, str(TAKEN), 409))
        sociallogin.connect(request, owner)

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        """Whether the provider may bring a new account."""
        oidc, claims = configured_provider(), sociallogin.claims
        if oidc.signup == "nobody" or settings.SIGNUP == "closed":
            return False
        if oidc.signup == "everybody" or settings.SIGNUP == "open":
            return True
        if settings.SIGNUP == "domain" and _is_of_domain(claims):
            return True
        return bool(mapping.granted(claims, oidc))

    def save_user(self, request: HttpRequest, sociallogin: Any, form: Any = None) -> User:
        user: User = super().save_user(request, sociallogin, form)
        mapping.apply(user, sociallogin.claims, configured_provider())
        return user

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: Any) -> str:
        return f"{reverse('settings:index')}#security"


def record_link(*, sociallogin: Any, **_: Any) -> None:
    """An account here was linked with a new one of the provider's: allauth's signal."""
    is_asked = sociallogin.state.get("process") == AuthProcess.CONNECT
    by = BY_SETTINGS if is_asked else BY_ADDRESS
    record(Action.ACCOUNT_LINKED, sociallogin.user, sociallogin.user, by=by)


def _is_of_domain(claims: Claims) -> bool:
    domain = addresses.normal(claims.email).rpartition("@")[2]
    return claims.is_verified and domain in settings.SIGNUP_DOMAINS


def _reason(error: str | None, exception: Exception | None) -> str:
    return f"{type(exception).__name__}: {exception}" if exception else str(error)
