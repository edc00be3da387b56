"""Signing in and up, the second factor, OpenID Connect: allauth's pages under its URL names, and
ours."""

from allauth.account import views as allauth
from allauth.mfa.base import views as mfa
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as webauthn
from django.conf import settings
from django.urls import path, re_path

from config.accounts import views
from config.accounts.invitations import views as invitations
from config.accounts.oidc import views as oidc
from config.accounts.views import has_mail
from tools.rights import reauthenticated_page

login = allauth.LoginView.as_view(extra_context={"settings": settings})

SIGN_IN = [
    path("link/", views.link, name="account_link"),
    path("login/", login, name="account_login"),
    path("logout/", allauth.logout, name="account_logout"),
    path("signup/", views.sign_up, name="account_signup"),
    path("invitation/", invitations.accept, name="account_invitation"),
    path("inactive/", allauth.account_inactive, name="account_inactive"),
    path("reauthenticate/", allauth.reauthenticate, name="account_reauthenticate"),
]
PASSWORDS = [
    path("password/change/", allauth.password_change, name="account_change_password"),
    path("password/set/", reauthenticated_page(allauth.password_set), name="account_set_password"),
    path("password/reset/", has_mail(allauth.password_reset), name="account_reset_password"),
    path(
        "password/reset/done/",
        has_mail(allauth.password_reset_done),
        name="account_reset_password_done",
    ),
    path(
        "password/reset/key/done/",
        has_mail(allauth.password_reset_from_key_done),
        name="account_reset_password_from_key_done",
    ),
    re_path(
        r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        has_mail(allauth.password_reset_from_key),
        name="account_reset_password_from_key",
    ),
]
SECOND_FACTOR = [
    path("2fa/", mfa.index, name="mfa_index"),
    path("2fa/authenticate/", mfa.authenticate, name="mfa_authenticate"),
    path("2fa/reauthenticate/", mfa.reauthenticate, name="mfa_reauthenticate"),
    path("2fa/totp/activate/", totp.activate_totp, name="mfa_activate_totp"),
    path("2fa/totp/deactivate/", totp.deactivate_totp, name="mfa_deactivate_totp"),
    path("2fa/recovery-codes/", codes.view_recovery_codes, name="mfa_view_recovery_codes"),
    path(
        "2fa/recovery-codes/generate/",
        codes.generate_recovery_codes,
        name="mfa_generate_recovery_codes",
    ),
    path(
        "2fa/recovery-codes/download/",
        codes.download_recovery_codes,
        name="mfa_download_recovery_codes",
    ),
    path("2fa/passkeys/", webauthn.list_webauthn, name="mfa_list_webauthn"),
    path("2fa/passkeys/add/", webauthn.add_webauthn, name="mfa_add_webauthn"),
    path("2fa/passkeys/login/", webauthn.login_webauthn, name="mfa_login_webauthn"),
    path(
        "2fa/passkeys/reauthenticate/",
        webauthn.reauthenticate_webauthn,
        name="mfa_reauthenticate_webauthn",
    ),
    path("2fa/passkeys/<int:pk>/edit/", webauthn.edit_webauthn, name="mfa_edit_webauthn"),
    path("2fa/passkeys/<int:pk>/remove/", webauthn.remove_webauthn, name="mfa_remove_webauthn"),
]
OPENID_CONNECT = [
    path("oidc/login/", oidc.login, name="oidc_login"),
    path("oidc/link/", oidc.link, name="oidc_link"),
    path("oidc/unlink/", oidc.unlink, name="oidc_unlink"),
    path("<slug:provider_id>/login/callback/", oidc.callback, name="openid_connect_callback"),
]
urlpatterns = [*SIGN_IN, *PASSWORDS, *SECOND_FACTOR, *OPENID_CONNECT]
