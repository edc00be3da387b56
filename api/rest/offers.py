"""What a person can choose: models, servers with their tools, skills."""

from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from ninja import Schema
from pydantic import Field

from api.rest.pagination import BY_NAME, ListPage, Page, page_of, whole
from api.rest.resource import ApiRequest, Resource
from api.rest.shapes import Named, named
from chat.models import LanguageModel, Skill
from tokens.models import Scope
from tools.catalogue import registry
from tools.models import Server
from tools.values.tool import Tool

models = Resource("Models")
tools = Resource("Servers and tools")
skills = Resource("Skills")


class ModelOut(Schema):
    id: UUID
    name: str = Field(description="As people see it.")
    model: str = Field(description="The id that its provider knows.")
    provider: str
    default: bool
    takes_tools: bool
    takes_images: bool
    context_window: int | None = Field(description="Tokens.")
    assistant: Named | None


class ToolOut(Schema):
    name: str = Field(description="As a model calls it.")
    server: str = Field(description="Empty for the tools of this program.")
    description: str
    parameters: dict[str, Any] = Field(description="JSON Schema.")
    idempotent: bool
    opt_in: bool = Field(description="Offered only where it is named.")


class ServerOut(Schema):
    id: UUID
    name: str
    transport: str
    enabled: bool
    mine: bool
    tools: int = Field(description="How many of its tools this person can use.")


class SkillOut(Schema):
    name: str
    description: str


@models.get("/models", Scope.READ, Page[ModelOut], "List models")
def list_models(request: ApiRequest) -> Any:
    """Those that this person can choose, the default first."""
    return whole([_model(row) for row in _models(request)])


@models.get("/models/{uuid:id}", Scope.READ, ModelOut, "Read a model")
def read_model(request: ApiRequest, id: UUID) -> Any:
    return _model(get_object_or_404(_models(request), public_id=id))


@tools.get("/servers", Scope.READ, Page[ServerOut], "List MCP servers")
def list_servers(request: ApiRequest, paging: ListPage) -> Any:
    """Those whose tools this person can be offered."""
    counts: dict[str, int] = {}
    for tool in registry.usable(request.user):
        counts[tool.server] = counts.get(tool.server, 0) + 1
    rows = Server.objects.for_user(request.user)
    return page_of(rows, paging, BY_NAME, lambda row: _server(row, request, counts), "servers")


@tools.get("/tools", Scope.READ, Page[ToolOut], "List tools")
def list_tools(request: ApiRequest, server: str | None = None) -> Any:
    """Those that this person can use; of one server, or with an empty name of this program."""
    usable = registry.usable(request.user)
    return whole([_tool(one) for one in usable if server is None or one.server == server])


@skills.get("/skills", Scope.READ, Page[SkillOut], "List skills")
def list_skills(request: ApiRequest) -> Any:
    """Those that an assistant of this person can load."""
    found = Skill.objects.working_for(request.user)
    return whole([{"name": one.name, "description": one.description} for one in found])


def _models(request: ApiRequest) -> Any:
    return LanguageModel.objects.for_user(request.user).select_related("provider", "preset")


def _model(row: LanguageModel) -> dict[str, Any]:
    return {
        "id": row.public_id,
        "name": str(row),
        "model": row.name,
        "provider": row.provider.name,
        "default": row.is_default,
        "takes_tools": row.takes_tools,
        "takes_images": row.reads_images,
        "context_window": row.known_window,
        "assistant": named(row.preset),
    }


def _server(row: Server, request: ApiRequest, counts: dict[str, int]) -> dict[str, Any]:
    return {
        "id": row.public_id,
        "name": row.name,
        "transport": row.transport,
        "enabled": row.enabled,
        "mine": row.owner_id == request.user.pk,
        "tools": counts.get(row.name, 0),
    }


def _tool(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "server": tool.server,
        "description": tool.description,
        "parameters": tool.parameters,
        "idempotent": tool.idempotent,
        "opt_in": tool.opt_in,
    }
