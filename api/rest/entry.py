"""The view of `/api/…`.

It loads the operations, with django-ninja, when the first request comes: a process that serves none
does without them.
"""

from importlib import import_module

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt

from api import problems
from api.authentication import authenticate, through
from api.problems import Problem, problem_of
from api.rest import conditions, idempotency
from audit.models import Door

OPERATIONS = "api.rest.operations"


@csrf_exempt
def serve(request: HttpRequest, path: str) -> HttpResponseBase:
    """Answers every request: what fails is a problem."""
    try:
        access = authenticate(request)
        request.access = access  # type: ignore[attr-defined]
        with through(Door.API, request):
            return idempotency.answered(request, access.user, lambda: _answer(request))
    except Exception as error:
        return problem_of(error).response(request.path)


def _answer(request: HttpRequest) -> HttpResponseBase:
    import_module(OPERATIONS)
    try:
        match = resolve(request.path_info.removeprefix("/api"), OPERATIONS)
    except Resolver404:
        why = gettext("There is no such operation. /api/openapi.json describes all of them.")
        return Problem(problems.NOT_FOUND, why).response(request.path)
    response: HttpResponseBase = match.func(request, *match.args, **match.kwargs)
    if isinstance(response, HttpResponseNotAllowed):
        allowed = {"Allow": response["Allow"]}
        return Problem(problems.NOT_ALLOWED, headers=allowed).response(request.path)
    if isinstance(response, HttpResponse):
        return conditions.conditional(request, response)
    return response
