"""All operations of `/api`: what django-ninja makes of them, and their addresses."""

import logging
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from api.problems import INVALID, MALFORMED, Problem, problem_of
from api.rest import (
    assistants,
    attachments,
    cassettes,
    conversations,
    group_shares,
    messages,
    offers,
    people,
    projects,
    prompts,
    traces,
    turns,
    usage,
    workspace_files,
)

RESOURCES = (
    people.me,
    conversations.resource,
    messages.resource,
    turns.resource,
    attachments.resource,
    group_shares.resource,
    workspace_files.resource,
    projects.resource,
    assistants.resource,
    offers.models,
    offers.tools,
    offers.skills,
    prompts.resource,
    traces.resource,
    cassettes.resource,
    usage.resource,
    people.admin,
)

logger = logging.getLogger(__name__)

api = NinjaAPI(
    title="Roundtrip",
    version="1",
    urls_namespace="rest",
    openapi_url=None,
    docs_url=None,
)
for resource in RESOURCES:
    api.add_router("", resource.router)


@api.exception_handler(ValidationError)
def invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    """Where a value stands is a path: of the body, the address, or the query."""
    errors = [{"where": _where(one["loc"]), "why": str(one["msg"])} for one in error.errors]
    why = gettext("A value does not fit. The errors name each of them.")
    return Problem(INVALID, why, {"errors": errors}).response(request.path)


@api.exception_handler(HttpError)
def malformed(request: HttpRequest, error: HttpError) -> HttpResponse:
    """What ninja itself refuses: a body that is no JSON."""
    return Problem(MALFORMED, gettext("The body is not valid JSON.")).response(request.path)


@api.exception_handler(Http404)
@api.exception_handler(Exception)
def failed(request: HttpRequest, error: Exception) -> HttpResponse:
    return problem_of(error).response(request.path)


def _where(location: tuple[Any, ...]) -> str:
    """Without the name that the function gives its parameter."""
    parts = [str(part) for part in location]
    return ".".join([*parts[:1], *parts[2:]] if len(parts) > 2 else parts)


urlpatterns = api.urls[0]
