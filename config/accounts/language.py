"""The language that a person chose: in their settings, and as a cookie in each browser.

The cookie is what pages read (`languages.choice`), also before anybody has signed in; it costs no
statement. A browser in which somebody signs in gets the language that they chose elsewhere.
"""

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.i18n import set_language

from chat.models import PersonalSettings


def choose(request: HttpRequest) -> HttpResponseBase:
    """Keeps the language for this browser, and for the person if somebody is signed in; goes back
    to the page that asked."""
    response = set_language(request)
    language = request.POST.get("language", "")
    if request.user.is_authenticated and language in dict(settings.LANGUAGES):
        PersonalSettings.change(request.user, language=language)
    return response


def remember(response: HttpResponseBase, user: AbstractBaseUser) -> None:
    """Gives the browser the language of a person who has just signed in."""
    language = PersonalSettings.objects.filter(user_id=int(user.pk)).values_list(
        "language", flat=True
    )
    if chosen := language.first():
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            chosen,
            max_age=settings.LANGUAGE_COOKIE_AGE,
            secure=settings.LANGUAGE_COOKIE_SECURE,
            httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
            samesite="Lax",
        )
