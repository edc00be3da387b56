"""Resources and prompts of servers for the composer: the list, a request for one, its answer."""

import json
from http import HTTPStatus
from typing import Any
from uuid import UUID, uuid5

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, JsonResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from chat import workspaces
from chat.attachments import offered
from chat.models import Attachment, Conversation
from db.public_ids import parse_public_id
from db.users import signed_in_user
from tools.models import Reading, Server
from tools.servers import readings
from tracing.formatting.text import visible


@never_cache
@login_required
@require_safe
def offers(request: HttpRequest) -> JsonResponse:
    """The resources and prompts that the user's servers have listed."""
    return JsonResponse(offered.offers(signed_in_user(request)))


@never_cache
@login_required
@require_POST
def ask(request: HttpRequest) -> JsonResponse:
    """Takes `server`, `kind`, and `uri` or `name` and `arguments` (JSON); returns the address to
    poll."""
    servers = Server.objects.for_user(request.user).filter(enabled=True)
    server = get_object_or_404(servers, public_id=parse_public_id(request.POST.get("server", "")))
    kind = request.POST.get("kind", "")
    request_fields = _request_fields(server, kind, request)
    if request_fields is None:
        sentence = gettext("The server does not offer this any more.")
        return JsonResponse({"error": sentence}, status=HTTPStatus.BAD_REQUEST)
    reading = readings.ask(
        signed_in_user(request), server, kind, request_fields, _workspace(request, server)
    )
    return JsonResponse({"id": str(reading.public_id)}, status=HTTPStatus.ACCEPTED)


@never_cache
@login_required
@require_POST
def take(request: HttpRequest, public_id: UUID) -> JsonResponse:
    """The state of the reading; its result when it is over, once."""
    reading = get_object_or_404(Reading.objects.for_user(request.user), public_id=public_id)
    if reading.state in (Reading.State.ASKED, Reading.State.RUNNING):
        return JsonResponse({"state": "running"})
    Reading.objects.filter(pk=reading.pk).delete()
    if reading.state == Reading.State.FAILED:
        return JsonResponse({"state": "failed", "error": visible(reading.error)})
    taken = offered.take(signed_in_user(request), reading)
    return JsonResponse(
        {
            "state": "succeeded",
            "text": taken.text,
            "attachments": [_described(one) for one in taken.attachments],
            "notes": [visible(note) for note in taken.notes],
        }
    )


def _request_fields(server: Server, kind: str, request: HttpRequest) -> dict[str, Any] | None:
    """The requested resource or prompt, if the server has listed it."""
    if kind == Reading.Kind.RESOURCE:
        uri = request.POST.get("uri", "")
        return {"uri": uri} if any(one.get("uri") == uri for one in server.resources) else None
    name = request.POST.get("name", "")
    if kind != Reading.Kind.PROMPT or all(one.get("name") != name for one in server.prompts):
        return None
    try:
        arguments = json.loads(request.POST.get("arguments") or "{}")
    except (ValueError, RecursionError):
        return None
    return {"name": name, "arguments": arguments} if isinstance(arguments, dict) else None


def _workspace(request: HttpRequest, server: Server) -> Any:
    """The workspace of the conversation; before there is one, a folder for this user alone."""
    own = Conversation.objects.for_user(request.user)
    conversation_id = parse_public_id(request.POST.get("conversation"))
    conversation = own.filter(public_id=conversation_id).first() if conversation_id else None
    return workspaces.folder(
        conversation.public_id if conversation else uuid5(server.public_id, str(request.user.pk))
    )


def _described(attachment: Attachment) -> dict[str, object]:
    return {
        "id": str(attachment.public_id),
        "name": visible(attachment.name),
        "mediaType": attachment.media_type,
        "size": attachment.size,
    }
