from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from audit.models import Action
from config.accounts import devices, language
from config.accounts.audit import record
from config.accounts.models import SignInLink

BACKEND = "config.accounts.backend.AccountBackend"


@never_cache
@require_GET
def link(request: HttpRequest) -> HttpResponse:
    """Signs in with a one-time link. The secret is in the query, since logs contain paths only."""
    user = SignInLink.objects.use(request.GET.get("key", ""))
    if user is None:
        return render(request, "account/link_over.html", status=410)
    login(request, user, backend=BACKEND)
    devices.describe(request)
    record(Action.LINK_USED, request, user.get_username())
    response = redirect("/")
    devices.remember(response, request, user)
    language.remember(response, user)
    return response
