"""What a tool answered beside text: images, audio, files. All of it is hostile."""

import json
import uuid

from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from tools.results.content import Media, media
from tracing.errors import PayloadCorrupt
from tracing.formatting.text import visible
from tracing.models import Payload, Span, Trace
from tracing.store import payloads


@login_required
@require_safe
def result_media(request: HttpRequest, span_id: uuid.UUID, index: int) -> HttpResponse:
    """The bytes of a block of a result; 404 if there are none, or the trace is somebody else's."""
    return media_in(Trace.objects.for_user(request.user), span_id, index)


def media_in(traces: QuerySet[Trace], span_id: uuid.UUID, index: int) -> HttpResponse:
    """The bytes of a block of the result of a call in these traces. Images and audio whose type is
    known are shown, anything else can only be saved. Raises `Http404`."""
    stored = get_object_or_404(
        Payload.objects.select_related("span__trace"),
        span__public_id=span_id,
        span__kind=Span.Kind.TOOL,
        span__trace__in=traces,
        stage=Payload.Stage.RESULT,
    )
    return media_response(_block(stored, index), index)


def media_response(found: Media | None, index: int) -> HttpResponse:
    """The bytes of the block at `index` of a result; nothing in them runs. Raises `Http404`."""
    if found is None:
        raise Http404("There is no such content.")
    response = HttpResponse(
        found.content, content_type=found.media_type or "application/octet-stream"
    )
    name = visible(found.name) or f"content-{index + 1}"
    response["Content-Disposition"] = content_disposition_header(not found.media_type, name) or ""
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _block(stored: Payload, index: int) -> Media | None:
    try:
        content = json.loads(payloads.load(stored)).get("content")
    except (PayloadCorrupt, ValueError):
        return None
    if not isinstance(content, list) or index >= len(content):
        return None
    return media(content[index])
