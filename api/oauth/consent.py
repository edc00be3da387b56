"""The page on which a person allows a program, or denies it."""

from allauth.core import ratelimit
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from api.oauth import clients, requests
from api.oauth.metadata import MEANINGS
from api.oauth.requests import AuthorizationRequest, Unanswerable
from db.users import signed_in_user
from languages.later import later
from tokens.programs import commands

TOO_MANY = later("You opened too many programs' pages. Try again in an hour.")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def authorize(request: HttpRequest) -> HttpResponseBase:
    """Asks; a POST is the answer. A program that was allowed before is asked for again: whoever
    listens at a port of this machine may call itself the same."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    try:
        asked = _read(request)
    except Unanswerable as error:
        context = {"sentence": str(error)}
        return render(request, "programs/unanswerable.html", context, status=400)
    if asked.error is not None:
        return _tell_of_error(request, asked, *asked.error)
    if request.method != "POST":
        return _ask(request, asked)
    if request.POST.get("decision") != "allow":
        return _to_program(asked.refuse("access_denied", "The person denied it."))
    code = commands.allow(
        signed_in_user(request),
        asked.client,
        scopes=asked.scopes,
        redirect_uri=asked.redirect_uri,
        challenge=asked.challenge,
        resource=asked.resource,
    )
    return _to_program(asked.answer(code=code))


def _read(request: HttpRequest) -> AuthorizationRequest:
    if clients.needs_reading(request.GET.get("client_id", "")):
        # The rates of allauth count no GET.
        counted = HttpRequest()
        counted.method, counted.user, counted.META = "POST", request.user, request.META
        user = signed_in_user(request)
        if not ratelimit.consume(counted, action="program_document", user=user):
            raise Unanswerable(str(TOO_MANY))
    return requests.read(request)


def _tell_of_error(
    request: HttpRequest, asked: AuthorizationRequest, code: str, sentence: str
) -> HttpResponse:
    """A page, since a program that registered itself could have an error sent to any address, as an
    open redirector (RFC 9700, 4.11.2). The person may follow a link to the program."""
    context = {
        "sentence": sentence,
        "back": asked.refuse(code, sentence),
        "target": clients.shown_target(asked.redirect_uri),
        "client": asked.client,
    }
    return render(request, "programs/unanswerable.html", context, status=400)


def _ask(request: HttpRequest, asked: AuthorizationRequest) -> HttpResponse:
    context = {
        "client": asked.client,
        "target": clients.shown_target(asked.redirect_uri),
        "is_on_this_machine": clients.is_on_this_machine(asked.redirect_uri),
        "meanings": [MEANINGS[scope] for scope in asked.scopes],
    }
    response = render(request, "programs/consent.html", context)
    # Browsers hold a form to it also where its answer redirects to.
    response._csp_update = {"form-action": [clients.source_of(asked.redirect_uri)]}  # type: ignore[attr-defined]
    return response


class _ToProgram(HttpResponseRedirect):
    """To a scheme of the program's own, too: the address was checked."""

    def __init__(self, address: str) -> None:
        self.allowed_schemes = [address.partition(":")[0]]
        super().__init__(address)


def _to_program(address: str) -> HttpResponseRedirect:
    return _ToProgram(address)
