"""For the trace page: what a running turn is saying, and where its messages stand in the chat."""

import uuid

from django.http import HttpRequest, JsonResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from chat.live.snapshot import running_text
from chat.models import Turn
from tracing.models import Trace


@require_safe
def running(request: HttpRequest, public_id: uuid.UUID) -> JsonResponse:
    """`{"running": null or {"generation", "round", "content", "reasoning", "calls"}}` for
    whoever may see the turn's trace."""
    turns = Turn.objects.filter(trace__in=Trace.objects.for_user(request.user))
    turn = get_object_or_404(turns.select_related("conversation"), public_id=public_id)
    found = running_text(turn)
    if found is None:
        return JsonResponse({"running": None})
    said = {"generation": found["generation"], "round": found["round"], **found["parts"]}
    return JsonResponse({"running": said})
