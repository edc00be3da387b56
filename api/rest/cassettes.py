"""Cassettes: providers that answer as it was recorded."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.shortcuts import get_object_or_404
from ninja import File, Form, Schema
from ninja.files import UploadedFile
from ninja.responses import Status
from pydantic import Field

from api.problems import REJECTED, TOO_LARGE, Problem
from api.rest.pagination import NEWEST, ListPage, Page, page_of
from api.rest.resource import ApiRequest, Resource
from chat import storage
from chat.cassettes import builtin
from chat.errors import BrokenCassette
from chat.models import CassetteFile
from chat.permissions import CHANGE_PROVIDER
from tokens.models import Scope
from tracing.permissions import holds

resource = Resource("Cassettes")


class CassetteOut(Schema):
    id: UUID = Field(description="Of the provider that plays it.")
    name: str
    answers: int = Field(description="How many recorded answers it has.")
    size: int = Field(description="Bytes.")
    created: datetime


@resource.get("/cassettes", Scope.ADMIN, Page[CassetteOut], "List uploaded cassettes")
def list_cassettes(request: ApiRequest, paging: ListPage) -> Any:
    """For who may set up providers. A cassette of a trace is at `/api/traces/{id}/cassette`."""
    _require(request)
    rows = CassetteFile.objects.select_related("provider").defer("compressed")
    return page_of(rows, paging, NEWEST, shape, "cassettes")


@resource.post("/cassettes", Scope.ADMIN, CassetteOut, "Upload a cassette", 201)
def upload_cassette(request: ApiRequest, file: File[UploadedFile], name: Form[str] = "") -> Any:
    """It becomes a provider, with the models that it has answers of."""
    _require(request)
    if (file.size or 0) > settings.CASSETTE_BYTES:
        raise Problem(TOO_LARGE, members={"most": settings.CASSETTE_BYTES})
    storage.check_upload(request.user.pk, file.size or 0)
    try:
        provider = builtin.add(file.read(), name, request.user)
    except BrokenCassette as error:
        raise Problem(REJECTED, str(error)) from error
    return Status(
        201, shape(CassetteFile.objects.select_related("provider").get(provider=provider))
    )


@resource.delete("/cassettes/{uuid:id}", Scope.ADMIN, "Delete a cassette with its provider")
def delete_cassette(request: ApiRequest, id: UUID) -> Any:
    _require(request)
    rows = CassetteFile.objects.select_related("provider").defer("compressed")
    get_object_or_404(rows, provider__public_id=id).provider.delete()
    return Status(204, None)


def shape(row: CassetteFile) -> dict[str, Any]:
    return {
        "id": row.provider.public_id,
        "name": row.provider.name,
        "answers": row.answers,
        "size": row.size,
        "created": row.created,
    }


def _require(request: ApiRequest) -> None:
    if not holds(request.user, CHANGE_PROVIDER):
        raise PermissionDenied
