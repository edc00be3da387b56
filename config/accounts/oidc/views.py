"""The way to the provider and back; linking an account, and unlinking it."""

import secrets
from typing import Any

from allauth.account.internal.flows.reauthentication import is_reauthentication_required
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.base.constants import AuthError, AuthProcess
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from audit.models import Action
from audit.recording import record
from config.accounts.oidc.connection import Connection, Unusable
from config.oidc_settings import PROVIDER_ID
from db.users import signed_in_user
from tools.rights import reauthenticated, signed_in

# Of the session: somebody asked, by a form of ours, to link their account.
LINKING = "oidc_linking"


@never_cache
@require_safe
def login(request: HttpRequest) -> HttpResponse:
    """Leads to the provider. A link of another site can begin a sign-in, never a linking."""
    _require_provider()
    is_asked = request.session.pop(LINKING, None) == request.user.pk and bool(request.user.pk)
    is_linking = is_asked and not is_reauthentication_required(request, app="")
    if request.user.is_authenticated and not is_linking:
        return redirect(settings.LOGIN_REDIRECT_URL)
    nonce = secrets.token_urlsafe(24)
    connection = Connection(request, PROVIDER_ID)
    provider = connection.get_provider()
    try:
        response: HttpResponse = provider.redirect(
            request,
            process=AuthProcess.CONNECT if is_linking else AuthProcess.LOGIN,
            next_url=_next(request),
            auth_params={"nonce": nonce},
            nonce=nonce,
        )
    except (OAuth2Error, ImmediateHttpResponse) as error:
        return _failed(request, provider, error)
    return response


@never_cache
@require_safe
def callback(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Where the provider sends people back to."""
    _require_provider()
    if provider_id != PROVIDER_ID:
        raise Http404
    connection = Connection(request, PROVIDER_ID)
    view = _Callback()
    view.request, view.adapter = request, connection
    try:
        response: HttpResponse = view.dispatch(request)
    except (OAuth2Error, ImmediateHttpResponse) as error:
        return _failed(request, connection.get_provider(), error)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        unusable = Unusable(f"{type(error).__name__} in what the provider sent")
        return _failed(request, connection.get_provider(), unusable)
    return response


@signed_in
@require_POST
@reauthenticated
def link(request: HttpRequest) -> HttpResponse:
    """A page that leads to the provider: a form could not, under our content policy."""
    _require_provider()
    request.session[LINKING] = signed_in_user(request).pk
    return render(request, "account/oidc_link.html", {"provider": settings.OIDC})


@signed_in
@require_POST
@reauthenticated
def unlink(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    if not user.has_usable_password():
        messages.error(request, _("Set a password first, or you could not sign in any more."))
    elif SocialAccount.objects.filter(user=user).delete()[0]:
        record(Action.ACCOUNT_UNLINKED, user, user)
        messages.success(request, _("The accounts are no longer linked."))
    return redirect(f"{reverse('settings:index')}#security")


class _Callback(OAuth2CallbackView):  # type: ignore[misc]  # allauth is not typed
    """allauth's, which tells the connection what nonce was sent."""

    def _get_state(self, request: HttpRequest, provider: Any) -> tuple[Any, HttpResponse | None]:
        state, response = super()._get_state(request, provider)
        if state is not None:
            self.adapter.nonce = str(state.get("nonce") or "")
        return state, response


def _failed(request: HttpRequest, provider: Any, error: Exception) -> HttpResponse:
    if isinstance(error, ImmediateHttpResponse):
        answered: HttpResponse = error.response
        return answered
    try:
        get_adapter().on_authentication_error(
            request, provider, error=AuthError.UNKNOWN, exception=error
        )
    except ImmediateHttpResponse as shown:
        response: HttpResponse = shown.response
        return response
    raise error


def _next(request: HttpRequest) -> str | None:
    address = request.GET.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(address, allowed_hosts={request.get_host()})
    return address if address and is_ours else None


def _require_provider() -> None:
    if settings.OIDC is None:
        raise Http404
