"""Uploading a file of conversations, its preview, and the import."""

from http import HTTPStatus
from uuid import UUID

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from chat.errors import Rejected
from chat.models import Import
from chat.transfer import imports
from db.users import signed_in_user
from tools.rights import signed_in


@signed_in
@require_POST
def upload(request: HttpRequest) -> HttpResponseBase:
    """Keeps the field `file` and has it read. A script gets `{"id", "url"}` or `{"error"}`."""
    file = request.FILES.get("file")
    by_script = request.headers.get("X-Requested-With") == "fetch"
    try:
        if not isinstance(file, UploadedFile):
            raise Rejected(_("No file came with the request. Choose one and upload it again."))
        name = request.POST.get("name") or file.name or ""
        row = imports.upload(signed_in_user(request), name, file.size or 0, file)
    except Rejected as error:
        if by_script:
            return JsonResponse({"error": str(error)}, status=HTTPStatus.BAD_REQUEST)
        messages.error(request, str(error))
        return redirect(_section())
    if not by_script:
        return redirect("transfer:import", row.public_id)
    url = reverse("transfer:import", args=[row.public_id])
    return JsonResponse({"id": str(row.public_id), "url": url}, status=HTTPStatus.CREATED)


@signed_in
@require_safe
def page(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The preview of an import, its progress, what came of it."""
    return render(request, "transfer/import.html", {"import": _own(request, public_id)})


@signed_in
@require_safe
def status(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The part of the page that changes."""
    return render(request, "transfer/_import_status.html", {"import": _own(request, public_id)})


@signed_in
@require_POST
def begin(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Writes what the preview found; with `skips_broken` without what is broken."""
    row = _own(request, public_id)
    skips_broken = request.POST.get("skips_broken") == "1"
    if row.is_previewed and row.found.get("broken") and not skips_broken:
        messages.error(request, _("Say first that broken conversations may be left out."))
    elif not imports.begin(row, skips_broken=skips_broken):
        messages.error(request, _("This import is not waiting to begin."))
    return redirect("transfer:import", public_id)


@signed_in
@require_POST
def cancel(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Stops the import, or forgets the file that waits for it."""
    row = _own(request, public_id)
    imports.cancel(row)
    if Import.objects.filter(pk=row.pk).exists():
        return redirect("transfer:import", public_id)
    messages.success(request, _("The uploaded file is removed. Nothing was imported."))
    return redirect(_section())


def _section() -> str:
    return f"{reverse('settings:index')}#data"


def _own(request: HttpRequest, public_id: UUID) -> Import:
    return get_object_or_404(Import.objects.for_user(request.user), public_id=public_id)
