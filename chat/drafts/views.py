"""The addresses of drafts. See docs/protocol.md."""

import json
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, JsonResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from chat.drafts import saving
from chat.errors import Overtaken, Rejected
from chat.models import Conversation
from db.public_ids import parse_public_id
from db.users import signed_in_user
from tracing.formatting.text import visible


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def draft(request: HttpRequest, public_id: UUID | None = None) -> JsonResponse:
    """The draft of a conversation, or of a new one. A POST takes `text`, `attachments` (JSON list
    of ids) and the `revision` that was read; if another tab has stored one since, the answer has
    that as `newer`."""
    user = signed_in_user(request)
    conversation = None
    if public_id is not None:
        writable = Conversation.objects.writable_by(request.user)
        conversation = get_object_or_404(writable, public_id=public_id)
    if request.method != "POST":
        return JsonResponse(_described(saving.read(user, conversation)))
    try:
        revision = saving.save(user, conversation, _change(request))
    except Rejected as error:
        return JsonResponse({"error": str(error)}, status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    except Overtaken:
        newer = saving.read(user, conversation)
        return JsonResponse({"newer": _described(newer)})
    return JsonResponse({"revision": revision})


def _change(request: HttpRequest) -> saving.Change:
    revision = request.POST.get("revision", "")
    return saving.Change(
        revision=int(revision) if revision.isdecimal() and len(revision) < 10 else 0,
        text=request.POST.get("text", "").replace("\r\n", "\n"),
        attachments=_ids(request.POST.get("attachments") or "[]"),
    )


def _ids(text: str) -> list[UUID]:
    try:
        values: Any = json.loads(text)
    except (ValueError, RecursionError):
        return []
    parsed = map(parse_public_id, values if isinstance(values, list) else [])
    return [one for one in parsed if one is not None]


def _described(draft: saving.StoredDraft) -> dict[str, object]:
    return {
        "revision": draft.revision,
        "text": draft.text,
        "attachments": [
            {
                "id": str(one.public_id),
                "name": visible(one.name),
                "mediaType": one.media_type,
                "size": one.size,
            }
            for one in draft.attachments
        ],
    }
