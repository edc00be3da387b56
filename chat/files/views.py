"""The panel of a conversation's files: listing, downloads, uploads. For the owner only."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import wraps
from http import HTTPStatus
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Q
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
    StreamingHttpResponse,
)
from django.shortcuts import get_object_or_404, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from chat import project_folders, storage
from chat.errors import Rejected
from chat.files import downloads, listing, names, previews, uploads, workspace_sizes
from chat.files.limits import limits
from chat.files.walking import total
from chat.models import Conversation, ConversationQuerySet, ProjectFile
from chat.placement import copies
from chat.placement.pins import Unreachable
from chat.quotas.admission import admit_upload
from db.users import AnyUser, signed_in_user
from languages.later import later
from limits.files import MAX_ZIPPED_FILES
from tools.errors import NotThere, ToolError
from tools.workspace import tree
from tools.workspace.object_store import StoreError
from tools.workspace.paths import shown
from tracing.formatting.text import visible, with_full_stop

NO_FILE = later("No file came with the request. Choose one and upload it again.")
GONE = later("This file no longer exists.")
_COUNTED = 1_000

View = Callable[[HttpRequest, UUID], HttpResponseBase]
FileView = Callable[[HttpRequest, UUID], HttpResponseBase]


def of_owner(view: FileView) -> View:
    """Makes a view of the workspace of a user's own conversation; 404 for any other."""
    return _of(view, Conversation.objects.for_user)


def of_reader(view: FileView) -> View:
    """The same of a conversation that the user may read."""
    return _of(view, Conversation.objects.readable_by)


def _of(view: FileView, allowed: Callable[[AnyUser], ConversationQuerySet]) -> View:
    @never_cache
    @login_required
    @wraps(view)
    def checked(request: HttpRequest, public_id: UUID) -> HttpResponseBase:
        conversation = get_object_or_404(allowed(request.user), public_id=public_id)
        try:
            return view(request, conversation.public_id)
        except (Unreachable, StoreError) as error:
            sentence = gettext("The files are out of reach: %(error)s")
            text = sentence % {"error": with_full_stop(str(error))}
            return _refused(text, HTTPStatus.SERVICE_UNAVAILABLE)

    return checked


@require_safe
@of_reader
def panel(request: HttpRequest, conversation: UUID) -> HttpResponse:
    """The files of the conversation's project, and the open folders: `?open=100:path` for each,
    with the number of rows to show."""
    workspace = copies.names(conversation)
    opened = listing.read_opened(names.values(request, "open"))
    within = Q(project__conversations__public_id=workspace.name)
    rows = ProjectFile.objects.for_user(request.user).filter(within)
    project_files = list(rows.select_related("project").defer("content", "project__instructions"))
    context = {
        "conversation_id": workspace.name,
        "now": time.time(),
        "folder": _own_folder(listing.folders(workspace, opened), bool(project_files)),
        "project_files": project_files,
        "total": total(workspace, MAX_ZIPPED_FILES),
        "limits": limits(),
    }
    return render(request, "chat/_files_listing.html", context)


def _own_folder(top: listing.Folder, has_project: bool) -> listing.Folder:
    """Without the folder in whose place tools see the files of the project."""
    if not has_project:
        return top
    rows = [row for row in top.rows if row.entry.path != project_folders.NAME]
    return replace(top, rows=rows)


@require_safe
@of_reader
def count(request: HttpRequest, conversation: UUID) -> JsonResponse:
    """`{"count": "12"}`, with a trailing + if there are more than were counted."""
    return JsonResponse({"count": counted(conversation)})


def counted(conversation: UUID) -> str:
    """The number of files for the page's head; "" if there are none, or they are out of reach."""
    try:
        files = total(copies.names(conversation), _COUNTED)
    except ToolError:
        return ""
    return files.words if files.files else ""


@require_safe
@of_reader
def preview(request: HttpRequest, conversation: UUID) -> HttpResponse:
    """The preview of the file `?path=`; with `&as=source` its source text."""
    path = names.path_of(request)
    workspace = copies.files(conversation, path)
    context: dict[str, object] = {
        "conversation_id": workspace.name,
        "path": visible(shown(path)),
        "address": names.quoted(path),
    }
    try:
        file_preview = previews.preview(
            workspace, path, as_source=request.GET.get("as") == "source"
        )
        context |= {"preview": file_preview, "entry": tree.stat_of(workspace, path)}
    except NotThere:
        context["problem"] = GONE
    except ToolError as error:
        context["problem"] = gettext("This file cannot be shown: %(error)s") % {
            "error": with_full_stop(str(error))
        }
    return render(request, "chat/_files_preview.html", context)


@require_safe
@of_reader
def download(request: HttpRequest, conversation: UUID) -> HttpResponseBase:
    """The bytes of the file `?path=` as a download that no browser displays."""
    path = names.path_of(request)
    entry, file = _opened(copies.files(conversation, path), path)
    return _kept(downloads.pieces(file, entry.size), entry.name, entry.size)


@require_safe
@of_reader
def image(request: HttpRequest, conversation: UUID) -> HttpResponseBase:
    """A PNG, JPEG, GIF or WebP, by its bytes; 404 for everything else."""
    path = names.path_of(request)
    workspace = copies.files(conversation, path)
    try:
        header = previews.image_type(workspace, path)
    except ToolError:
        header = None
    if header is None:
        raise Http404
    entry, file = _opened(workspace, path)
    response = StreamingHttpResponse(
        downloads.streamed(downloads.pieces(file, entry.size)), content_type=header.media_type
    )
    response["Content-Length"] = str(entry.size)
    return _closed(response)


@require_safe
@of_reader
def archive(request: HttpRequest, conversation: UUID) -> HttpResponseBase:
    """A zip of the folder `?path=`, or of the workspace."""
    folder = names.path_of(request)
    try:
        entries = downloads.zipped(copies.names(conversation), folder)
    except Rejected as error:
        return HttpResponse(str(error), status=413, content_type="text/plain; charset=utf-8")
    name = f"{folder.rpartition('/')[2] or 'files'}.zip"
    workspace = copies.files(conversation, folder)
    return _kept(downloads.zip_pieces(workspace, entries, folder), name)


@require_POST
@of_owner
def upload(request: HttpRequest, conversation: UUID) -> JsonResponse:
    """Stores the field `file` as `name` in the folder `?path=`. If the name is taken, `taken`
    decides; without it the answer is 409, and nothing is changed."""
    file = request.FILES.get("file")
    taken = uploads.read_taken(request.POST.get("taken", ""))
    if not isinstance(file, UploadedFile):
        return _refused(NO_FILE, HTTPStatus.BAD_REQUEST)
    name = request.POST.get("name") or file.name or ""
    folder = names.path_of(request)
    try:
        storage.check_upload(request.user.pk or 0, file.size or 0)
        admit_upload(signed_in_user(request))
        with copies.changing(conversation) as workspace:
            stored = uploads.take(workspace, folder, name, file.size or 0, file.chunks(), taken)
    except uploads.NameTaken as error:
        choice = {"name": error.name, "free": error.free, "replace": error.can_replace}
        return JsonResponse({"error": str(error), **choice}, status=HTTPStatus.CONFLICT)
    except Rejected as error:
        return _refused(str(error), HTTPStatus.BAD_REQUEST)
    workspace_sizes.grow(conversation, stored.size)
    answer = {
        "id": names.quoted(stored.path),
        "name": visible(shown(stored.name)),
        "size": stored.size,
    }
    return JsonResponse(answer, status=HTTPStatus.CREATED)


@require_POST
@of_owner
def remove(request: HttpRequest, conversation: UUID) -> HttpResponse:
    """Removes the file, link or folder `?path=`, if it exists."""
    try:
        with copies.changing(conversation) as workspace:
            tree.remove(workspace, names.path_of(request))
    except NotThere:
        pass
    except (Unreachable, StoreError):
        raise
    except ToolError as error:
        return _refused(
            gettext("Not deleted: %(error)s") % {"error": with_full_stop(str(error))},
            HTTPStatus.BAD_REQUEST,
        )
    workspace_sizes.count(conversation)
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


def _opened(workspace: Path, path: str) -> tuple[tree.Entry, BinaryIO]:
    try:
        return tree.stat_of(workspace, path), tree.open_read(workspace, path)
    except ToolError as error:
        raise Http404 from error


def _kept(source: Iterator[bytes], name: str, count: int | None = None) -> HttpResponseBase:
    response = StreamingHttpResponse(
        downloads.streamed(source), content_type="application/octet-stream"
    )
    disposition = content_disposition_header(True, visible(shown(name)))
    response["Content-Disposition"] = disposition or "attachment"
    if count is not None:
        response["Content-Length"] = str(count)
    return _closed(response)


def _closed(response: StreamingHttpResponse) -> StreamingHttpResponse:
    """Adds headers so that a browser runs nothing in it and does not guess its type."""
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _refused(sentence: str, status: HTTPStatus) -> JsonResponse:
    return JsonResponse({"error": sentence}, status=status)
