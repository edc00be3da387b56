"""The text of a running turn, for the trace page."""

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
    text = running_text(turn)
    if text is None:
        return JsonResponse({"running": None})
    running = {"generation": text["generation"], "round": text["round"], **text["parts"]}
    return JsonResponse({"running": running})
