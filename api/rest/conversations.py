"""Conversations: found, made, changed, deleted and exported."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.db import transaction
from django.http import HttpResponseBase, QueryDict
from django.shortcuts import get_object_or_404
from django.utils.http import content_disposition_header
from django.utils.translation import gettext
from ninja import Query, Schema
from ninja.responses import Status
from pydantic import Field

from api.rest.conditions import require_match
from api.rest.pagination import ListPage, Order, Page, page_of, read_cursor, write_cursor
from api.rest.resource import ApiRequest, Resource, rendered
from api.rest.shapes import Named, named
from chat import offering
from chat.agent import skill_choices
from chat.commands import branches, conversations, organising, temporary
from chat.commands.answerers import offered_model, usable_preset
from chat.commands.new_conversation import NewConversation, begin_conversation
from chat.errors import Rejected
from chat.listing.filters import Filters
from chat.listing.page import list_page
from chat.models import Conversation, Project
from chat.presentation.reader import zone_of_reader
from chat.transfer.formats import FORMATS, Options
from db.fields import storable
from db.users import AnyUser
from limits.api import MAX_API_TEXT
from limits.chat import MAX_OWN_INSTRUCTIONS, MAX_TITLE
from limits.search import MAX_SELECTED, MAX_TAG
from tokens.models import Scope
from tracing import streaming

resource = Resource("Conversations")
NEWEST_FIRST = Order("updated", is_time=True)
RELATED = ("preset", "model", "project")


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


class ConversationIn(Schema):
    """A conversation without a message; sending one without a conversation makes one too."""

    title: str = Field(max_length=MAX_TITLE)
    model: UUID | None = Field(None, description="Null: the assistant's, else the default.")
    assistant: UUID | None = None
    project: UUID | None = None
    temporary: bool = False


class ConversationChange(Schema):
    """What is left out stays as it is."""

    title: str | None = Field(None, min_length=1, max_length=MAX_TITLE)
    pinned: bool | None = None
    archived: bool | None = None
    temporary: Literal[False] | None = Field(None, description="False keeps a temporary one.")
    tags: list[Annotated[str, Field(max_length=MAX_TAG)]] | None = Field(None, max_length=100)
    project: UUID | Literal["none"] | None = None
    branch: UUID | None = Field(None, description="The turn whose branch is to be shown.")


class Act(Schema):
    """An action on several conversations, as on the search page."""

    action: Literal["pin", "unpin", "archive", "unarchive", "tag", "untag", "move", "delete"]
    ids: list[UUID] = Field(min_length=1, max_length=MAX_SELECTED)
    tag: str = Field(
        "", max_length=MAX_API_TEXT, description="The tag's name; of `move` the project's id."
    )


class Acted(Schema):
    """What was done, and the action that takes it back."""

    detail: str
    undo: str
    ids: list[UUID]


class ToolChoice(Schema):
    """Which tools the next requests offer (`null`: those of the assistant)."""

    servers: list[str] | None = None
    off: list[str] | None = None
    on: list[str] | None = None
    web: bool | None = None


class Settings(Schema):
    """How a conversation goes on. What is left out stays as it is."""

    assistant: UUID | Literal["none"] | None = None
    tools: ToolChoice | Literal["assistant"] | None = None
    skills: list[str] | Literal["assistant"] | None = Field(
        None, description="Patterns of skill names."
    )
    instructions: str | None = Field(
        None, max_length=MAX_OWN_INSTRUCTIONS, description="Said after the system prompt."
    )


@resource.get("/conversations", Scope.READ, Page[ConversationOut], "List or search conversations")
def list_conversations(
    request: ApiRequest, paging: ListPage, filters: Annotated[ConversationFilters, Query()]
) -> Any:
    """The latest first; with `q` what matches best first, in pages of their own length."""
    chosen, zone = filters.read(), zone_of_reader(request)
    if chosen.query:
        return _found(request.user, chosen, paging.cursor, zone)
    rows = chosen.conversations(request.user, zone)
    rows = rows.select_related(*RELATED).prefetch_related("tags")
    return page_of(
        rows, paging, NEWEST_FIRST, lambda row: shape(row, request.user), "conversations"
    )


@resource.post("/conversations", Scope.CHAT, ConversationOut, "Make an empty conversation", 201)
def create_conversation(request: ApiRequest, new: ConversationIn) -> Any:
    preset = usable_preset(request.user, new.assistant)
    project = None
    if new.project is not None:
        rows = Project.objects.to_begin_in(request.user)
        project = get_object_or_404(rows, public_id=new.project)
    settings = NewConversation(
        preset or (project.usable_preset if project else None),
        is_temporary=new.temporary,
        project=project,
    )
    model = offered_model(request.user, new.model or settings.model_id(request.user))
    with transaction.atomic():
        row, _ = begin_conversation(request.user, new.title, model, settings)
    return Status(201, shape(find(request.user, row.public_id), request.user))


@resource.post("/conversations/act", Scope.CHAT, Acted, "Do something with several conversations")
def act_on_conversations(request: ApiRequest, act: Act) -> Any:
    """Ids of conversations of others are left out."""
    outcome = organising.organise(request.user, act.action, act.ids, act.tag)
    return {"detail": outcome.sentence, "undo": outcome.undo, "ids": list(outcome.ids)}


@resource.get("/conversations/{uuid:id}", Scope.READ, ConversationOut, "Read a conversation")
def read_conversation(request: ApiRequest, id: UUID) -> Any:
    return shape(find(request.user, id), request.user)


@resource.patch("/conversations/{uuid:id}", Scope.CHAT, ConversationOut, "Change a conversation")
def change_conversation(request: ApiRequest, id: UUID, change: ConversationChange) -> Any:
    """With If-Match only if it is still the one that was read: else 412."""
    row = own(request.user, id)
    with transaction.atomic():
        Conversation.objects.lock(row.pk)
        row = own(request.user, id)
        require_match(request, rendered(ConversationOut, shape(row, request.user)))
        _organise(request, row, change)
        if change.title is not None:
            conversations.rename(row, change.title)
    if change.temporary is False:
        temporary.keep(row)
    if change.branch is not None:
        branches.switch(row, change.branch)
    return shape(find(request.user, id), request.user)


@resource.delete("/conversations/{uuid:id}", Scope.CHAT, "Delete a conversation")
def delete_conversation(request: ApiRequest, id: UUID) -> Any:
    """With its messages, files and traces, for good."""
    row = own(request.user, id)
    require_match(request, rendered(ConversationOut, shape(row, request.user)))
    conversations.delete(Conversation.objects.filter(pk=row.pk))
    return Status(204, None)


@resource.get("/conversations/{uuid:id}/settings", Scope.READ, Settings, "Read how it goes on")
def read_settings(request: ApiRequest, id: UUID) -> Any:
    row = find(request.user, id)
    return {
        "assistant": row.preset.public_id if row.preset else "none",
        "tools": "assistant" if row.tools is None else row.tools,
        "skills": "assistant" if row.skills is None else row.skills,
        "instructions": row.instructions,
    }


@resource.patch(
    "/conversations/{uuid:id}/settings", Scope.CHAT, Settings, "Choose assistant and tools"
)
def change_settings(request: ApiRequest, id: UUID, change: Settings) -> Any:
    """They count from the next turn, and the next round, on."""
    row = own(request.user, id)
    if change.tools is not None:
        tools = None
        if isinstance(change.tools, ToolChoice):
            tools = offering.read_choice(change.tools.model_dump(exclude_none=True))
        conversations.choose_tools(row, tools)
    if change.skills is not None:
        patterns = None if change.skills == "assistant" else change.skills
        skill_choices.choose(row, skill_choices.read_choice(patterns))
    if change.instructions is not None:
        own_parameters = row.parameters if isinstance(row.parameters, dict) else {}
        conversations.choose_own(row, storable(change.instructions), own_parameters)
    if change.assistant is not None:
        wanted = None if change.assistant == "none" else change.assistant
        conversations.choose_preset(row, usable_preset(request.user, wanted))
    return read_settings(request, id)


@resource.content("/conversations/{uuid:id}/export", Scope.READ, "Download a conversation")
def export_conversation(
    request: ApiRequest,
    id: UUID,
    format: Annotated[str, Query(description="json, markdown, openai or sharegpt")] = "json",
    traces: bool = False,
    liked: bool = False,
) -> HttpResponseBase:
    """As a file, in a format of the page; `traces` need the scope `traces` too."""
    if traces:
        request.access.require(Scope.TRACES)
    row = own(request.user, id)
    if (export_format := FORMATS.get(format)) is None:
        raise Rejected(
            gettext("There is no such format. The formats are: %(formats)s.")
            % {"formats": ", ".join(FORMATS)}
        )
    disposition = content_disposition_header(True, export_format.file_name([row.pk]))
    return streaming.respond(
        export_format.pieces([row.pk], Options(traces=traces, liked=liked)),
        content_type=export_format.type_of([row.pk]),
        headers={"Content-Disposition": str(disposition)},
    )


def find(user: AnyUser, public_id: UUID) -> Conversation:
    """One that the user may read. Raises Http404."""
    rows = Conversation.objects.readable_by(user).select_related(*RELATED)
    return get_object_or_404(rows.prefetch_related("tags"), public_id=public_id)


def own(user: AnyUser, public_id: UUID) -> Conversation:
    """One of the user's own. Raises Http404."""
    rows = Conversation.objects.for_user(user).select_related(*RELATED, "model__preset")
    return get_object_or_404(rows.prefetch_related("tags"), public_id=public_id)


def shape(row: Conversation, user: AnyUser) -> dict[str, Any]:
    is_mine = row.owner_id == user.pk
    return {
        "id": row.public_id,
        "title": str(row),
        "created": row.created,
        "updated": row.updated,
        "pinned": row.pinned is not None,
        "archived": row.archived is not None,
        "temporary": row.is_temporary,
        "mine": is_mine,
        "tags": sorted(tag.name for tag in row.tags.all()) if is_mine else [],
        "assistant": named(row.preset),
        "model": named(row.model),
        "project": named(row.project) if is_mine else None,
    }


def _organise(request: ApiRequest, row: Conversation, change: ConversationChange) -> None:
    acts: list[tuple[str, str]] = []
    if change.pinned is not None:
        acts.append(("pin" if change.pinned else "unpin", ""))
    if change.archived is not None:
        acts.append(("archive" if change.archived else "unarchive", ""))
    if change.project is not None:
        acts.append(("move", "" if change.project == "none" else str(change.project)))
    if change.tags is not None:
        before = {tag.name for tag in row.tags.all()}
        acts += [("untag", name) for name in sorted(before - set(change.tags))]
        acts += [("tag", name) for name in change.tags if name not in before]
    for action, argument in acts:
        organising.organise(request.user, action, [row.public_id], argument)


def _found(user: AnyUser, chosen: Filters, cursor: str, zone: Any) -> dict[str, Any]:
    """A page of a search."""
    number = (read_cursor(cursor, "found") or [0])[0]
    shown = list_page(user, chosen, zone, number)
    following = write_cursor([number + 1], "found") if shown.more else None
    items = [shape(result.conversation, user) for result in shown.rows]
    return {"items": items, "next": following}
