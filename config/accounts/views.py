from functools import wraps

from allauth.account.views import signup as allauth_sign_up
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from config.accounts.invitations.views import ask
from config.accounts.models import SignInLink
from config.accounts.signing_in import LINK, sign_in
from tools.rights import View


@never_cache
@require_GET
def link(request: HttpRequest) -> HttpResponse:
    """Signs in with a one-time link, and the second factor of who has one. The secret is in the
    query, since logs contain paths only."""
    user = SignInLink.objects.use(request.GET.get("key", ""))
    if user is None:
        return render(request, "account/link_over.html", status=410)
    return sign_in(request, user, LINK)


def sign_up(request: HttpRequest) -> HttpResponse:
    """By form, by a link to an address of some domains, or closed (`SIGNUP`)."""
    if settings.SIGNUP == "domain" and not request.user.is_authenticated:
        return ask(request)
    response: HttpResponse = allauth_sign_up(request)
    return response


def has_mail(view: View) -> View:
    """A page that is there only where mail can be sent."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **options: object) -> HttpResponseBase:
        if not settings.HAS_MAIL:
            raise Http404
        return view(request, *args, **options)

    return guarded
