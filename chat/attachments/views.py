"""Uploading attachments, showing them, and removing what was not sent."""

from http import HTTPStatus
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from chat.attachments import uploads
from chat.attachments.sniffing import ACCEPTED, TEXT
from chat.attachments.text_preview import text_preview
from chat.errors import Rejected
from chat.models import Attachment
from db.users import signed_in_user
from languages.later import later
from tracing.formatting.figures import size
from tracing.formatting.text import visible

NO_FILE = later("No file came with the request. %(accepted)s", accepted=ACCEPTED)


@never_cache
@login_required
@require_POST
def upload(request: HttpRequest) -> JsonResponse:
    """Takes the field `file`, and `name` if the file has another one; returns the attachment."""
    file = request.FILES.get("file")
    if not isinstance(file, UploadedFile):
        return _refused(NO_FILE, HTTPStatus.BAD_REQUEST)
    most = uploads.max_bytes()
    if (file.size or 0) > most:
        sentence = gettext("The file has %(size)s; the limit is %(most)s.") % {
            "size": size(file.size or 0),
            "most": size(most),
        }
        return _refused(sentence, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    name = request.POST.get("name") or file.name or ""
    try:
        attachment, note = uploads.upload_file(signed_in_user(request), name, file.read())
    except Rejected as error:
        return _refused(str(error), HTTPStatus.BAD_REQUEST)
    described = _described(attachment) | ({"note": note} if note else {})
    return JsonResponse(described, status=HTTPStatus.CREATED)


@login_required
@require_safe
def content(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The bytes: an image with its type, everything else as plain text, which no browser runs."""
    attachment = _find(request, public_id)
    is_text = attachment.media_type == TEXT
    response = HttpResponse(
        bytes(attachment.content),
        content_type=f"{TEXT}; charset=utf-8" if is_text else attachment.media_type,
    )
    name = visible(attachment.name)
    response["Content-Disposition"] = content_disposition_header(False, name) or "inline"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["X-Content-Type-Options"] = "nosniff"
    return response


@never_cache
@login_required
@require_safe
def preview(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The beginning of a text file, for the page."""
    attachment = _find(request, public_id)
    context = {"preview": text_preview(attachment) if attachment.media_type == TEXT else None}
    return render(request, "chat/_attachment_preview.html", context)


@never_cache
@login_required
@require_POST
def remove(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Deletes an upload that was not sent; otherwise does nothing."""
    uploads.remove(signed_in_user(request), public_id)
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


def _find(request: HttpRequest, public_id: UUID) -> Attachment:
    readable = Attachment.objects.readable_by(request.user)
    return get_object_or_404(readable, public_id=public_id)


def _described(attachment: Attachment) -> dict[str, object]:
    return {
        "id": str(attachment.public_id),
        "name": visible(attachment.name),
        "media_type": attachment.media_type,
        "size": attachment.size,
    }


def _refused(sentence: str, status: HTTPStatus) -> JsonResponse:
    return JsonResponse({"error": sentence}, status=status)
