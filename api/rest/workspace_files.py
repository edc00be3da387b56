"""The files of a conversation's workspace, which its tools read and write."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.http import Http404, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header
from ninja import Query, Schema
from ninja.responses import Status
from pydantic import Field

from api.problems import CONFLICT, Problem
from api.rest.conversations import find, own
from api.rest.pagination import Page, whole
from api.rest.resource import ApiRequest, Resource
from chat import storage
from chat.errors import Rejected
from chat.files import downloads, names, uploads, workspace_sizes
from chat.placement import copies
from chat.quotas.admission import admit_upload
from limits.files import MAX_FOLDER_ROWS
from tokens.models import Scope
from tools.errors import NotThere, ToolError
from tools.workspace import tree
from tools.workspace.paths import shown
from tools.workspace.tree import Entry
from tracing.formatting.text import visible, with_full_stop

resource = Resource("Files of a workspace")
FILES = "/conversations/{uuid:id}/files"


class FileOut(Schema):
    name: str
    path: str = Field(description="As an address of this API has it: percent-encoded.")
    kind: Literal["file", "folder", "link", "other"]
    size: int = Field(description="Bytes.")
    modified: datetime


@resource.get(FILES, Scope.READ, Page[FileOut], "List a folder")
def list_files(
    request: ApiRequest, id: UUID, folder: Annotated[str, Query(max_length=4096)] = ""
) -> Any:
    """All of it; beyond its limit the first ones."""
    workspace = copies.names(find(request.user, id).public_id)
    try:
        entries = tree.listing(workspace, _path(folder), MAX_FOLDER_ROWS)
    except NotThere as error:
        if folder:
            raise Http404 from error
        entries = []
    except ToolError as error:
        raise Rejected(with_full_stop(str(error))) from error
    return whole([shape(entry) for entry in entries])


@resource.content(FILES + "/{path:path}", Scope.READ, "Download a file")
def download(request: ApiRequest, id: UUID, path: str) -> HttpResponseBase:
    workspace = copies.files(find(request.user, id).public_id, _path(path))
    try:
        entry = tree.stat_of(workspace, _path(path))
        file = tree.open_read(workspace, _path(path))
    except ToolError as error:
        raise Http404 from error
    disposition = content_disposition_header(True, visible(shown(entry.name)))
    headers = {
        "Content-Disposition": disposition or "attachment",
        "Content-Length": str(entry.size),
        "X-Content-Type-Options": "nosniff",
    }
    pieces = downloads.streamed(downloads.pieces(file, entry.size))
    return StreamingHttpResponse(pieces, content_type="application/octet-stream", headers=headers)


@resource.put(FILES + "/{path:path}", Scope.CHAT, FileOut, "Store a file", 201)
def store(
    request: ApiRequest,
    id: UUID,
    path: str,
    taken: Literal["", "replace", "both"] = "replace",
) -> Any:
    """The body is its content. `taken` says what to do where the name is: empty refuses with 409,
    `both` stores it under another name."""
    conversation = own(request.user, id).public_id
    content = request.body
    folder, _, name = _path(path).rpartition("/")
    storage.check_upload(request.user.pk, len(content))
    admit_upload(request.user)
    try:
        with copies.changing(conversation) as workspace:
            stored = uploads.take(workspace, folder, name, len(content), [content], taken)
    except uploads.NameTaken as error:
        raise Problem(CONFLICT, str(error), {"free": error.free}) from error
    workspace_sizes.grow(conversation, stored.size)
    return Status(201, shape(stored))


@resource.delete(FILES + "/{path:path}", Scope.CHAT, "Delete a file or folder")
def remove(request: ApiRequest, id: UUID, path: str) -> Any:
    conversation = own(request.user, id).public_id
    try:
        with copies.changing(conversation) as workspace:
            tree.remove(workspace, _path(path))
    except NotThere as error:
        raise Http404 from error
    except ToolError as error:
        raise Rejected(with_full_stop(str(error))) from error
    workspace_sizes.count(conversation)
    return Status(204, None)


def shape(entry: Entry) -> dict[str, Any]:
    kind = entry.kind if entry.kind in ("file", "folder", "link") else "other"
    return {
        "name": visible(shown(entry.name)),
        "path": names.quoted(entry.path),
        "kind": kind,
        "size": entry.size,
        "modified": entry.modified,
    }


def _path(path: str) -> str:
    """Raises Http404 for a name that no file has."""
    if "\0" in path:
        raise Http404
    return path.strip("/")
