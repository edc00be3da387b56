"""The request for a summary of the older part of a conversation."""

from uuid import UUID

from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_POST

from chat.commands.compact import compact_conversation
from chat.errors import Rejected
from chat.models import Conversation
from chat.views import page
from db.public_ids import parse_public_id
from db.users import signed_in_user


@page
@require_POST
def compact(request: HttpRequest, public_id: UUID) -> HttpResponseBase:
    """201 with the turn's id, or 409 with a sentence. `key` makes the request idempotent, `focus`
    is what the summary has to keep, `model` the model that writes it."""
    owned = Conversation.objects.for_user(request.user).top_level()
    conversation = get_object_or_404(owned.select_related("model"), public_id=public_id)
    try:
        turn = compact_conversation(
            signed_in_user(request),
            conversation,
            key=request.POST.get("key", ""),
            focus=request.POST.get("focus", ""),
            model_id=parse_public_id(request.POST.get("model", "")),
        )
    except Rejected as error:
        return JsonResponse({"error": str(error)}, status=409)
    return JsonResponse({"turn": str(turn.public_id)}, status=201)
