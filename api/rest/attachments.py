"""Attachments: uploaded first, then sent with a message."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.http import content_disposition_header
from ninja import File, Form, Schema
from ninja.files import UploadedFile
from ninja.responses import Status
from pydantic import Field

from api.problems import TOO_LARGE, Problem
from api.rest.resource import ApiRequest, Resource
from chat.attachments import uploads
from chat.attachments.sniffing import TEXT
from chat.models import Attachment
from tokens.models import Scope
from tracing.formatting.text import visible

resource = Resource("Attachments")


class AttachmentOut(Schema):
    """An image or a text; of a PDF or Word file its text."""

    id: UUID
    name: str
    media_type: str
    size: int = Field(description="Bytes.")
    sent: bool
    note: str = Field("", description="What is kept of the file, if not all of it.")


@resource.post("/attachments", Scope.CHAT, AttachmentOut, "Upload an attachment", 201)
def upload(request: ApiRequest, file: File[UploadedFile], name: Form[str] = "") -> Any:
    """Deleted after a day, unless a message has it by then."""
    if (file.size or 0) > uploads.max_bytes():
        raise Problem(TOO_LARGE, members={"most": uploads.max_bytes()})
    row, note = uploads.upload_file(request.user, name or file.name or "", file.read())
    return Status(201, {**shape(row), "note": note})


@resource.get("/attachments/{uuid:id}", Scope.READ, AttachmentOut, "Read about an attachment")
def read_attachment(request: ApiRequest, id: UUID) -> Any:
    return shape(_find(request, id, with_content=False))


@resource.content("/attachments/{uuid:id}/content", Scope.READ, "Download an attachment")
def download(request: ApiRequest, id: UUID) -> HttpResponse:
    row = _find(request, id, with_content=True)
    kind = f"{TEXT}; charset=utf-8" if row.media_type == TEXT else row.media_type
    disposition = content_disposition_header(True, visible(row.name)) or "attachment"
    headers = {"Content-Disposition": disposition, "X-Content-Type-Options": "nosniff"}
    return HttpResponse(bytes(row.content), content_type=kind, headers=headers)


@resource.delete("/attachments/{uuid:id}", Scope.CHAT, "Delete an attachment that was not sent")
def remove(request: ApiRequest, id: UUID) -> Any:
    get_object_or_404(Attachment.objects.for_user(request.user).unsent(), public_id=id)
    uploads.remove(request.user, id)
    return Status(204, None)


def shape(row: Attachment) -> dict[str, Any]:
    return {
        "id": row.public_id,
        "name": visible(row.name),
        "media_type": row.media_type,
        "size": row.size,
        "sent": row.message_id is not None,
    }


def _find(request: ApiRequest, id: UUID, *, with_content: bool) -> Attachment:
    rows = Attachment.objects.readable_by(request.user)
    return get_object_or_404(rows if with_content else rows.defer("content"), public_id=id)
