"""Conversations."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.http import QueryDict
from ninja import Query, Schema
from pydantic import Field

from api.rest.pagination import ListPage, Order, Page, page_of, read_cursor, write_cursor
from api.rest.resource import ApiRequest, Resource
from api.rest.shapes import Named, named
from chat.listing.filters import Filters
from chat.listing.page import list_page
from chat.models import Conversation
from chat.presentation.reader import zone_of_reader
from db.users import AnyUser
from tokens.models import Scope

resource = Resource("Conversations")
NEWEST_FIRST = Order("updated", is_time=True)


class ConversationOut(Schema):
    """The durable thread that a person sees."""

    id: UUID
    title: str
    created: datetime
    updated: datetime
    pinned: bool
    archived: bool
    temporary: bool
    mine: bool = Field(description="False for one that somebody else shares.")
    tags: list[str]
    assistant: Named | None
    model: Named | None
    project: Named | None


class ConversationFilters(Schema):
    """Those of the search page."""

    q: str = Field("", description="Words to search for, in titles and messages.")
    assistant: str = Field("", description="Id of an assistant, or `none`.")
    project: str = Field("", description="Id of a project, or `none`.")
    tag: str = ""
    since: str = Field("", description="First day of the last message, as YYYY-MM-DD.")
    until: str = Field("", description="Last day of the last message, as YYYY-MM-DD.")
    state: Literal["", "archived", "all", "shared"] = Field(
        "", description="Empty: what is neither archived nor others'."
    )

    def read(self) -> Filters:
        query = QueryDict(mutable=True)
        query.update(self.model_dump())
        return Filters.read(query)


@resource.get("/conversations", Scope.READ, Page[ConversationOut], "List or search conversations")
def list_conversations(
    request: ApiRequest, paging: ListPage, filters: Annotated[ConversationFilters, Query()]
) -> Any:
    """The latest first; with `q` what matches best first."""
    chosen, zone = filters.read(), zone_of_reader(request)
    if chosen.query:
        return _found(request.user, chosen, paging.cursor, zone)
    rows = chosen.conversations(request.user, zone)
    rows = rows.select_related("preset", "model", "project").prefetch_related("tags")
    return page_of(
        rows, paging, NEWEST_FIRST, lambda row: shape(row, request.user), "conversations"
    )


def shape(row: Conversation, user: AnyUser) -> dict[str, Any]:
    return {
        "id": row.public_id,
        "title": str(row),
        "created": row.created,
        "updated": row.updated,
        "pinned": row.pinned is not None,
        "archived": row.archived is not None,
        "temporary": row.is_temporary,
        "mine": row.owner_id == user.pk,
        "tags": sorted(tag.name for tag in row.tags.all()),
        "assistant": named(row.preset),
        "model": named(row.model),
        "project": named(row.project) if row.owner_id == user.pk else None,
    }


def _found(user: AnyUser, chosen: Filters, cursor: str, zone: Any) -> dict[str, Any]:
    """A page of a search, which has its own length."""
    number = (read_cursor(cursor, "found") or [0])[0]
    shown = list_page(user, chosen, zone, number)
    following = write_cursor([number + 1], "found") if shown.more else None
    items = [shape(result.conversation, user) for result in shown.rows]
    return {"items": items, "next": following}
