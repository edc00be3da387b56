"""Assistants, in the form in which pages export and import them."""

import json
from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from ninja import Schema
from ninja.responses import Status
from pydantic import Field

from api.rest.pagination import BY_NAME, ListPage, Page, page_of
from api.rest.resource import ApiRequest, Resource
from chat.models import Preset
from chat.presets import interchange
from db.users import AnyUser
from tokens.models import Scope

resource = Resource("Assistants")


class AssistantOut(Schema):
    """How a conversation works: system prompt, model, tools, policies, limits."""

    id: UUID
    mine: bool
    published: bool
    name: str
    description: str
    system_prompt: str
    model: str | None
    tools: list[str] | None = Field(description="Patterns of tool names; null: all.")
    servers: list[str] | None
    skills: list[str] | None
    policies: list[Any]
    starters: list[str]
    limits: dict[str, Any]


class AssistantIn(Schema):
    name: str
    description: str = ""
    system_prompt: str = ""
    model: str | None = Field(None, description="The id that its provider knows.")
    tools: list[str] | None = None
    servers: list[str] | None = None
    skills: list[str] | None = None
    policies: list[list[str]] = Field(default_factory=list)
    starters: list[str] = Field(default_factory=list)
    limits: dict[str, Any] = Field(default_factory=dict)


class Made(AssistantOut):
    notes: list[str] = Field(description="What differs from what was sent, in sentences.")


@resource.get("/assistants", Scope.READ, Page[AssistantOut], "List assistants")
def list_assistants(request: ApiRequest, paging: ListPage) -> Any:
    """Those that this person can choose."""
    rows = Preset.objects.for_user(request.user).select_related("model")
    return page_of(rows, paging, BY_NAME, lambda row: shape(row, request.user), "assistants")


@resource.post("/assistants", Scope.CHAT, Made, "Make an assistant", 201)
def create_assistant(request: ApiRequest, new: AssistantIn) -> Any:
    """One of the person's own; under another name, if they have one of that name."""
    found = interchange.imported(_text(new), request.user)
    kept = interchange.keep(found)
    return Status(201, {**shape(kept, request.user), "notes": found.notes})


@resource.get("/assistants/{uuid:id}", Scope.READ, AssistantOut, "Read an assistant")
def read_assistant(request: ApiRequest, id: UUID) -> Any:
    rows = Preset.objects.for_user(request.user) | Preset.objects.editable_by(request.user)
    return shape(get_object_or_404(rows.select_related("model"), public_id=id), request.user)


@resource.put("/assistants/{uuid:id}", Scope.CHAT, Made, "Replace an assistant")
def replace_assistant(request: ApiRequest, id: UUID, new: AssistantIn) -> Any:
    """All of it but who owns it, and whether it is published."""
    row = get_object_or_404(Preset.objects.editable_by(request.user), public_id=id)
    found = interchange.imported(_text(new), request.user)
    kept = interchange.replaced(row, found, new.name)
    return {**shape(kept, request.user), "notes": found.notes}


@resource.delete("/assistants/{uuid:id}", Scope.CHAT, "Delete an assistant")
def delete_assistant(request: ApiRequest, id: UUID) -> Any:
    """Conversations that have it keep their system prompt."""
    get_object_or_404(Preset.objects.editable_by(request.user), public_id=id).delete()
    return Status(204, None)


def shape(row: Preset, user: AnyUser) -> dict[str, Any]:
    about = interchange.exported(row)
    del about["roundtrip"]
    mine = row.owner_id == user.pk
    return {"id": row.public_id, "mine": mine, "published": row.published, **about}


def _text(new: AssistantIn) -> str:
    return json.dumps({"roundtrip": {"preset": interchange.VERSION}, **new.model_dump()})
