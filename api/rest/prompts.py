"""Prompt templates."""

from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from ninja import Schema
from ninja.responses import Status
from pydantic import Field

from api.rest.conditions import require_match
from api.rest.forms import merged, saved
from api.rest.pagination import BY_NAME, ListPage, Page, page_of
from api.rest.resource import ApiRequest, Resource, rendered
from chat.models import PromptTemplate
from chat.prompts.forms import NAME_TAKEN, PromptTemplateForm
from chat.prompts.variables import filled, variables_of
from limits.chat import MAX_PROMPT_TEMPLATE
from tokens.models import Scope

resource = Resource("Prompts")


class PromptOut(Schema):
    id: UUID
    name: str
    description: str
    text: str
    variables: list[str]
    mine: bool = Field(description="False for one that everybody has.")


class PromptIn(Schema):
    name: str = Field(max_length=80)
    description: str = Field("", max_length=300)
    text: str = Field(max_length=MAX_PROMPT_TEMPLATE)


class PromptChange(Schema):
    """What is left out stays as it is."""

    name: str | None = Field(None, max_length=80)
    description: str | None = Field(None, max_length=300)
    text: str | None = Field(None, max_length=MAX_PROMPT_TEMPLATE)


class Values(Schema):
    values: dict[str, str] = Field(description="Texts by the names of variables.")


class Filled(Schema):
    text: str


@resource.get("/prompts", Scope.READ, Page[PromptOut], "List prompts")
def list_prompts(request: ApiRequest, paging: ListPage) -> Any:
    rows = PromptTemplate.objects.for_user(request.user)
    return page_of(rows, paging, BY_NAME, shape, "prompts")


@resource.post("/prompts", Scope.CHAT, PromptOut, "Make a prompt", 201)
def create_prompt(request: ApiRequest, new: PromptIn) -> Any:
    form = PromptTemplateForm(new.model_dump(), instance=PromptTemplate(), user=request.user)
    return Status(201, shape(saved(form, str(NAME_TAKEN))))


@resource.get("/prompts/{uuid:id}", Scope.READ, PromptOut, "Read a prompt")
def read_prompt(request: ApiRequest, id: UUID) -> Any:
    return shape(get_object_or_404(PromptTemplate.objects.for_user(request.user), public_id=id))


@resource.patch("/prompts/{uuid:id}", Scope.CHAT, PromptOut, "Change a prompt")
def change_prompt(request: ApiRequest, id: UUID, change: PromptChange) -> Any:
    row = get_object_or_404(PromptTemplate.objects.editable_by(request.user), public_id=id)
    require_match(request, rendered(PromptOut, shape(row)))
    current = {"name": row.name, "description": row.description, "text": row.text}
    given = merged(current, change.model_dump(exclude_none=True))
    return shape(saved(PromptTemplateForm(given, instance=row, user=request.user), str(NAME_TAKEN)))


@resource.delete("/prompts/{uuid:id}", Scope.CHAT, "Delete a prompt")
def delete_prompt(request: ApiRequest, id: UUID) -> Any:
    rows = PromptTemplate.objects.editable_by(request.user)
    get_object_or_404(rows, public_id=id).delete()
    return Status(204, None)


@resource.post("/prompts/{uuid:id}/fill", Scope.READ, Filled, "Fill in a prompt")
def fill_prompt(request: ApiRequest, id: UUID, given: Values) -> Any:
    row = get_object_or_404(PromptTemplate.objects.for_user(request.user), public_id=id)
    return {"text": filled(row.text, given.values)}


def shape(row: PromptTemplate) -> dict[str, Any]:
    return {
        "id": row.public_id,
        "name": row.name,
        "description": row.description,
        "text": row.text,
        "variables": [one.name for one in variables_of(row.text)],
        "mine": row.owner_id is not None,
    }
