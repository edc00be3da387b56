"""The messages of a conversation, with the tree that they are."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.shortcuts import get_object_or_404
from ninja import Schema
from pydantic import Field

from api.rest.conversations import find
from api.rest.pagination import ListPage, Order, Page, page_of
from api.rest.resource import ApiRequest, Resource
from chat.models import Message
from tokens.models import Scope

resource = Resource("Messages")


class MessageOut(Schema):
    """One entry of a conversation, in the form of chat completions."""

    id: UUID
    parent: UUID | None = Field(description="The message before it; null at the root.")
    turn: UUID | None
    shown: bool = Field(description="It is on the branch that the conversation goes on with.")
    role: str
    body: dict[str, Any] = Field(description="Role, content, tool calls, reasoning.")
    created: datetime


@resource.get(
    "/conversations/{uuid:id}/messages", Scope.READ, Page[MessageOut], "List its messages"
)
def list_messages(request: ApiRequest, id: UUID, paging: ListPage, branches: bool = False) -> Any:
    """The oldest first: the shown branch, or with `branches` the whole tree."""
    rows = Message.objects.filter(conversation=find(request.user, id))
    rows = rows.filter(Q(turn=None) | Q(turn__deleted=None)).select_related("parent", "turn")
    if not branches:
        rows = rows.filter(Q(turn=None) | Q(turn__is_shown=True))
    return page_of(rows, paging, Order(ascending=True), shape, f"messages.{id}")


@resource.get("/messages/{uuid:id}", Scope.READ, MessageOut, "Read a message")
def read_message(request: ApiRequest, id: UUID) -> Any:
    rows = Message.objects.readable_by(request.user).select_related("parent", "turn")
    rows = rows.filter(Q(turn=None) | Q(turn__deleted=None))
    return shape(get_object_or_404(rows, public_id=id))


def shape(row: Message) -> dict[str, Any]:
    return {
        "id": row.public_id,
        "parent": row.parent.public_id if row.parent else None,
        "turn": row.turn.public_id if row.turn else None,
        "shown": row.turn is None or row.turn.is_shown,
        "role": row.role,
        "body": row.body,
        "created": row.created,
    }
