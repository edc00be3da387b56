"""Conversations shared with groups, by their owner."""

from typing import Any
from uuid import UUID

from ninja import Schema
from ninja.responses import Status
from pydantic import Field

from api.rest.conversations import own
from api.rest.pagination import Page, whole
from api.rest.resource import ApiRequest, Resource
from chat.commands import group_sharing
from chat.errors import Rejected
from chat.models import ConversationShare
from tokens.models import Scope

resource = Resource("Shares with groups")
SHARES = "/conversations/{uuid:id}/shares"


class ShareOut(Schema):
    id: UUID
    group: str
    write: bool = Field(description="Its members may send messages.")


class ShareIn(Schema):
    group: str = Field(max_length=150, description="Name of a group that this person is in.")
    write: bool = False


@resource.get(SHARES, Scope.READ, Page[ShareOut], "List with which groups it is shared")
def list_shares(request: ApiRequest, id: UUID) -> Any:
    rows = ConversationShare.objects.filter(conversation=own(request.user, id))
    return whole([shape(row) for row in rows.select_related("group").order_by("pk")])


@resource.post(SHARES, Scope.CHAT, ShareOut, "Share it with a group", 201)
def share(request: ApiRequest, id: UUID, new: ShareIn) -> Any:
    """Sharing with the same group again changes whether it may write."""
    conversation = own(request.user, id)
    group = request.user.groups.filter(name=new.group.replace("\0", "")).first()
    if group is None:
        raise Rejected(str(group_sharing.NOT_IN_GROUP))
    group_sharing.share(request.user, conversation, group.pk, to_write=new.write)
    made = ConversationShare.objects.select_related("group")
    return Status(201, shape(made.get(conversation=conversation, group=group)))


@resource.delete(SHARES + "/{uuid:share}", Scope.CHAT, "End a share with a group")
def end_share(request: ApiRequest, id: UUID, share: UUID) -> Any:
    """Nothing if it has ended."""
    group_sharing.end(own(request.user, id), share)
    return Status(204, None)


def shape(row: ConversationShare) -> dict[str, Any]:
    return {"id": row.public_id, "group": row.group.name, "write": row.may_write}
