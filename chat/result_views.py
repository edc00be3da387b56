"""What tools answered beside text, for everybody who may read the conversation."""

import uuid

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from chat.models import Turn
from tools.results.views import media_in
from tracing.models import Trace


@login_required
@require_safe
def result_media(request: HttpRequest, span_id: uuid.UUID, index: int) -> HttpResponse:
    """The bytes of a block of a result; 404 if there are none, or the turn is somebody else's."""
    readable = Turn.objects.readable_by(request.user)
    return media_in(Trace.objects.filter(turn__in=readable), span_id, index)
