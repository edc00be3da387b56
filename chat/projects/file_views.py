"""The files of a project, for its owner only."""

from http import HTTPStatus
from uuid import UUID

from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from chat import project_folders
from chat.attachments import uploads
from chat.attachments.sniffing import ACCEPTED, TEXT
from chat.commands import project_files
from chat.commands.project_files import NameTaken, Stored
from chat.errors import Rejected
from chat.files import previews
from chat.models import Project, ProjectFile
from chat.projects.files import listed
from db.users import signed_in_user
from languages.later import later
from tools.errors import ToolError
from tools.rights import signed_in
from tracing.formatting.figures import size
from tracing.formatting.text import visible, with_full_stop

NO_FILE = later("No file came with the request. %(accepted)s", accepted=ACCEPTED)


@signed_in
@require_safe
def files(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The list, as a part of the page."""
    project = get_object_or_404(Project.objects.for_user(request.user), public_id=public_id)
    return render(request, "projects/_files.html", {"project": project, "files": listed(project)})


@signed_in
@require_POST
def upload(request: HttpRequest, public_id: UUID) -> JsonResponse:
    """Stores the field `file` as `name`. If the name is taken, `taken` (`replace`, `both`) decides;
    without it the answer is 409, and nothing is changed."""
    project = get_object_or_404(Project.objects.for_user(request.user), public_id=public_id)
    user = signed_in_user(request)
    taken = project_files.read_taken(request.POST.get("taken", ""))
    try:
        file = _given(request)
        name = request.POST.get("name") or file.name or ""
        return _stored(project_files.add(user, project, name, file.read(), taken))
    except NameTaken as error:
        choice = {"name": error.name, "free": error.free, "replace": True}
        return JsonResponse({"error": str(error), **choice}, status=HTTPStatus.CONFLICT)
    except Rejected as error:
        return _refused(error)


@signed_in
@require_POST
def replace(request: HttpRequest, public_id: UUID) -> JsonResponse:
    """Puts the field `file` in its place, under its name."""
    before = _own(request, public_id)
    try:
        return _stored(
            project_files.replace(signed_in_user(request), before, _given(request).read())
        )
    except Rejected as error:
        return _refused(error)


@signed_in
@require_POST
def remove(request: HttpRequest, public_id: UUID) -> HttpResponse:
    try:
        project_files.remove(_own(request, public_id))
    except Rejected as error:
        return _refused(error)
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


@signed_in
@require_safe
def preview(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """A part of the page; with `?as=source` the source text."""
    file = _own(request, public_id)
    context: dict[str, object] = {"file": file}
    folder = project_folders.current(file.project_id)
    if folder is None:
        raise Http404
    try:
        as_source = request.GET.get("as") == "source"
        context["preview"] = previews.preview(folder, file.workspace_name, as_source=as_source)
    except ToolError as error:
        problem = _("This file cannot be shown: %(error)s")
        context["problem"] = problem % {"error": with_full_stop(str(error))}
    return render(request, "projects/_preview.html", context)


@signed_in
@require_safe
def content(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The bytes: an image with its type, a text as plain text, which no browser runs; with
    `?download=1` as a download."""
    file = _own(request, public_id, with_content=True)
    kind = f"{TEXT}; charset=utf-8" if file.is_text else file.media_type
    response = HttpResponse(bytes(file.content), content_type=kind)
    name, is_download = visible(file.workspace_name), request.GET.get("download") == "1"
    response["Content-Disposition"] = content_disposition_header(is_download, name) or "inline"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _own(request: HttpRequest, public_id: UUID, *, with_content: bool = False) -> ProjectFile:
    rows = ProjectFile.objects.for_user(request.user).select_related("project")
    rows = rows if with_content else rows.defer("content")
    return get_object_or_404(rows, public_id=public_id)


def _given(request: HttpRequest) -> "UploadedFile[bytes]":
    """The uploaded file. Raises `Rejected` for none, and beyond the size of any kind."""
    file = request.FILES.get("file")
    if not isinstance(file, UploadedFile):
        raise Rejected(str(NO_FILE))
    most = uploads.max_bytes()
    if (file.size or 0) > most:
        sizes = {"size": size(file.size or 0), "most": size(most)}
        raise Rejected(_("The file has %(size)s; the limit is %(most)s.") % sizes)
    return file


def _stored(stored: Stored) -> JsonResponse:
    file = stored.file
    answer = {"id": str(file.public_id), "name": visible(file.name), "size": file.size}
    note = {"note": stored.note} if stored.note else {}
    return JsonResponse({**answer, **note}, status=HTTPStatus.CREATED)


def _refused(error: Rejected) -> JsonResponse:
    return JsonResponse({"error": str(error)}, status=HTTPStatus.BAD_REQUEST)
