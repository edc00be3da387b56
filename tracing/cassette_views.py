"""A trace as a file that answers again: `docs/cassettes.md`."""

import uuid

from django.http import HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from tracing import cassettes
from tracing.models import Trace


@require_safe
def cassette(request: HttpRequest, trace_id: uuid.UUID) -> StreamingHttpResponse:
    """One turn as a cassette."""
    traces = Trace.objects.for_user(request.user).select_related("archive")
    found = get_object_or_404(traces, public_id=trace_id)
    disposition = content_disposition_header(True, cassettes.file_name(found.name))
    return StreamingHttpResponse(
        cassettes.stream([found]),
        content_type="application/json",
        headers={"Content-Disposition": str(disposition)},
    )
