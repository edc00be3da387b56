"""Projects: folders of conversations, with instructions and files."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.http import content_disposition_header
from ninja import File, Form, Schema
from ninja.files import UploadedFile
from ninja.responses import Status
from pydantic import Field

from api.problems import CONFLICT, TOO_LARGE, Problem
from api.rest.conditions import require_match
from api.rest.pagination import BY_NAME, ListPage, Page, page_of, whole
from api.rest.resource import ApiRequest, Resource, rendered
from api.rest.shapes import Named, named
from chat.attachments import uploads
from chat.attachments.sniffing import TEXT
from chat.commands import project_files, projects
from chat.commands.answerers import usable_preset
from chat.commands.project_files import NameTaken
from chat.commands.projects import Details, InstructionsChanged
from chat.models import Project, ProjectFile
from db.users import AnyUser
from limits.projects import MAX_PROJECT_INSTRUCTIONS, MAX_PROJECT_NAME
from tokens.models import Scope
from tracing.formatting.text import visible

resource = Resource("Projects")


class ProjectOut(Schema):
    id: UUID
    name: str
    colour: str
    instructions: str = Field(description="Said in each request of its conversations.")
    assistant: Named | None = Field(description="Of new conversations.")
    archived: bool
    created: datetime


class ProjectIn(Schema):
    name: str = Field(max_length=MAX_PROJECT_NAME)
    colour: str = Field("", max_length=8)
    assistant: UUID | None = None


class ProjectChange(Schema):
    """What is left out stays as it is; an assistant of null is none."""

    name: str | None = Field(None, max_length=MAX_PROJECT_NAME)
    colour: str | None = Field(None, max_length=8)
    assistant: UUID | None = None
    instructions: str | None = Field(None, max_length=MAX_PROJECT_INSTRUCTIONS)
    archived: bool | None = None


class ProjectFileOut(Schema):
    id: UUID
    name: str
    media_type: str
    size: int = Field(description="Bytes.")
    updated: datetime
    note: str = Field("", description="What is kept of the file, if not all of it.")


@resource.get("/projects", Scope.READ, Page[ProjectOut], "List projects")
def list_projects(request: ApiRequest, paging: ListPage) -> Any:
    """By name, archived ones among them."""
    rows = Project.objects.for_user(request.user).select_related("preset")
    return page_of(rows, paging, BY_NAME, shape, "projects")


@resource.post("/projects", Scope.CHAT, ProjectOut, "Make a project", 201)
def create_project(request: ApiRequest, new: ProjectIn) -> Any:
    preset = usable_preset(request.user, new.assistant)
    made = projects.create(request.user, Details(new.name, new.colour, preset))
    return Status(201, shape(find(request.user, made.public_id)))


@resource.get("/projects/{uuid:id}", Scope.READ, ProjectOut, "Read a project")
def read_project(request: ApiRequest, id: UUID) -> Any:
    return shape(find(request.user, id))


@resource.patch("/projects/{uuid:id}", Scope.CHAT, ProjectOut, "Change a project")
def change_project(request: ApiRequest, id: UUID, change: ProjectChange) -> Any:
    row = find(request.user, id)
    require_match(request, rendered(ProjectOut, shape(row)))
    given = change.model_fields_set
    if given & {"name", "colour", "assistant"}:
        is_kept = "assistant" not in given
        preset = row.preset if is_kept else usable_preset(request.user, change.assistant)
        name = row.name if change.name is None else change.name
        colour = row.colour if change.colour is None else change.colour
        projects.change_details(row, Details(name, colour, preset))
    if change.instructions is not None:
        try:
            projects.change_instructions(row, change.instructions, row.revision)
        except InstructionsChanged as error:
            raise Problem(CONFLICT, str(error)) from error
    if change.archived is not None:
        (projects.archive if change.archived else projects.unarchive)(row)
    return shape(find(request.user, id))


@resource.delete("/projects/{uuid:id}", Scope.CHAT, "Delete a project")
def delete_project(request: ApiRequest, id: UUID, conversations: bool = False) -> Any:
    """With its files, and if wanted with its conversations."""
    projects.delete(find(request.user, id), with_conversations=conversations)
    return Status(204, None)


@resource.get("/projects/{uuid:id}/files", Scope.READ, Page[ProjectFileOut], "List its files")
def list_project_files(request: ApiRequest, id: UUID) -> Any:
    rows = find(request.user, id).files.defer("content").order_by("name", "pk")
    return whole([file_shape(row) for row in rows])


@resource.post("/projects/{uuid:id}/files", Scope.CHAT, ProjectFileOut, "Add a file to it", 201)
def add_project_file(
    request: ApiRequest,
    id: UUID,
    file: File[UploadedFile],
    name: Form[str] = "",
    taken: Form[str] = "",
) -> Any:
    """If the name is taken, `taken` is `replace` or `both`; else 409."""
    project = find(request.user, id)
    try:
        stored = project_files.add(
            request.user,
            project,
            name or file.name or "",
            _content(file),
            project_files.read_taken(taken),
        )
    except NameTaken as error:
        raise Problem(CONFLICT, str(error), {"free": error.free}) from error
    return Status(201, {**file_shape(stored.file), "note": stored.note})


@resource.content("/project-files/{uuid:id}", Scope.READ, "Download a file of a project")
def download_project_file(request: ApiRequest, id: UUID) -> HttpResponse:
    row = get_object_or_404(ProjectFile.objects.for_user(request.user), public_id=id)
    kind = f"{TEXT}; charset=utf-8" if row.is_text else row.media_type
    disposition = content_disposition_header(True, visible(row.workspace_name)) or "attachment"
    headers = {"Content-Disposition": disposition, "X-Content-Type-Options": "nosniff"}
    return HttpResponse(bytes(row.content), content_type=kind, headers=headers)


@resource.post("/project-files/{uuid:id}", Scope.CHAT, ProjectFileOut, "Replace a file of it")
def replace_project_file(request: ApiRequest, id: UUID, file: File[UploadedFile]) -> Any:
    """Under the same name."""
    rows = ProjectFile.objects.for_user(request.user).select_related("project").defer("content")
    row = get_object_or_404(rows, public_id=id)
    stored = project_files.replace(request.user, row, _content(file))
    return {**file_shape(stored.file), "note": stored.note}


@resource.delete("/project-files/{uuid:id}", Scope.CHAT, "Remove a file of a project")
def remove_project_file(request: ApiRequest, id: UUID) -> Any:
    rows = ProjectFile.objects.for_user(request.user).select_related("project").defer("content")
    project_files.remove(get_object_or_404(rows, public_id=id))
    return Status(204, None)


def find(user: AnyUser, public_id: UUID) -> Project:
    """One of the user's own. Raises Http404."""
    rows = Project.objects.for_user(user).select_related("preset")
    return get_object_or_404(rows, public_id=public_id)


def shape(row: Project) -> dict[str, Any]:
    return {
        "id": row.public_id,
        "name": row.name,
        "colour": row.colour,
        "instructions": row.instructions,
        "assistant": named(row.preset),
        "archived": row.archived is not None,
        "created": row.created,
    }


def file_shape(row: ProjectFile) -> dict[str, Any]:
    return {
        "id": row.public_id,
        "name": visible(row.name),
        "media_type": row.media_type,
        "size": row.size,
        "updated": row.updated,
    }


def _content(file: UploadedFile) -> bytes:
    if (file.size or 0) > uploads.max_bytes():
        raise Problem(TOO_LARGE, members={"most": uploads.max_bytes()})
    return bytes(file.read())
