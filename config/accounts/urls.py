"""The allauth pages that work without e-mail, under allauth's URL names, and the sign-in link."""

from allauth.account import views as allauth
from django.conf import settings
from django.urls import path

from config.accounts import views

login = allauth.LoginView.as_view(extra_context={"sign_up_is_open": settings.SIGNUP})

urlpatterns = [
    path("link/", views.link, name="account_link"),
    path("login/", login, name="account_login"),
    path("logout/", allauth.logout, name="account_logout"),
    path("signup/", allauth.signup, name="account_signup"),
    path("inactive/", allauth.account_inactive, name="account_inactive"),
    path("reauthenticate/", allauth.reauthenticate, name="account_reauthenticate"),
    path("password/change/", allauth.password_change, name="account_change_password"),
    path("password/set/", allauth.password_set, name="account_set_password"),
]
