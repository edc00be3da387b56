"""Who the token stands for, and for admins who there is and what was done."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from ninja import Schema
from pydantic import Field

from api.rest.pagination import NEWEST, ListPage, Order, Page, page_of
from api.rest.resource import ApiRequest, Resource
from audit.models import Event
from tokens.models import Scope
from tracing.permissions import holds

me = Resource("Account")
admin = Resource("Administration")
OLDEST = Order(ascending=True)


class Me(Schema):
    username: str
    scopes: list[str]
    token: UUID
    expires: datetime | None


class PersonOut(Schema):
    username: str
    active: bool
    staff: bool = Field(description="Opens the admin.")
    superuser: bool
    groups: list[str]
    joined: datetime
    last_sign_in: datetime | None


class EventOut(Schema):
    id: UUID
    when: datetime
    action: str
    actor: str
    door: str = Field(description="page, admin, api, gateway, mcp or shell")
    address: str | None
    target_type: str
    target_id: str
    target_name: str
    detail: dict[str, Any]


@me.get("/me", Scope.READ, Me, "Read whose token this is")
def read_me(request: ApiRequest) -> Any:
    token = request.access.token
    return {
        "username": request.user.get_username(),
        "scopes": sorted(request.access.scopes),
        "token": token.public_id,
        "expires": token.expires,
    }


@admin.get("/admin/people", Scope.ADMIN, Page[PersonOut], "List people")
def list_people(request: ApiRequest, paging: ListPage) -> Any:
    """For who may see accounts in the admin."""
    _require(request, "auth.view_user")
    rows = User.objects.prefetch_related("groups")
    return page_of(rows, paging, OLDEST, _person, "people")


@admin.get("/admin/audit", Scope.ADMIN, Page[EventOut], "Read the audit log")
def list_events(request: ApiRequest, paging: ListPage, action: str = "", actor: str = "") -> Any:
    """The latest first; for who may see it in the admin."""
    _require(request, "audit.view_event")
    rows = Event.objects.all()
    if action:
        rows = rows.filter(action=action.replace("\0", ""))
    if actor:
        rows = rows.filter(actor_name=actor.replace("\0", ""))
    return page_of(rows, paging, NEWEST, _event, "audit")


def _person(row: User) -> dict[str, Any]:
    return {
        "username": row.get_username(),
        "active": row.is_active,
        "staff": row.is_staff,
        "superuser": row.is_superuser,
        "groups": sorted(group.name for group in row.groups.all()),
        "joined": row.date_joined,
        "last_sign_in": row.last_login,
    }


def _event(row: Event) -> dict[str, Any]:
    columns = ("when", "action", "door", "address", "target_type", "target_id", "target_name")
    return {
        "id": row.public_id,
        "actor": row.actor_name,
        "detail": row.detail,
        **{name: getattr(row, name) for name in columns},
    }


def _require(request: ApiRequest, permission: str) -> None:
    if not holds(request.user, permission):
        raise PermissionDenied
