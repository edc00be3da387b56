"""Downloads of traces as cassettes: `docs/cassettes.md`."""

import uuid
from collections.abc import Iterable

from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from tracing import streaming
from tracing.export import cassettes
from tracing.models import Trace


@require_safe
def cassette(request: HttpRequest, trace_id: uuid.UUID) -> StreamingHttpResponse:
    """One turn as a cassette."""
    traces = Trace.objects.for_user(request.user).select_related("archive", "parent")
    trace = get_object_or_404(traces, public_id=trace_id)
    return _file([trace], trace.name)


@require_safe
def archive_cassette(request: HttpRequest, archive_id: uuid.UUID) -> StreamingHttpResponse:
    """All turns of a conversation as one cassette, in order."""
    traces = Trace.objects.for_user(request.user).select_related("archive", "parent").order_by("pk")
    turns = traces.filter(archive__public_id=archive_id, kind=Trace.Kind.TURN)
    first = turns.first()
    if first is None:
        raise Http404("There is no turn.")
    return _file(turns, first.name)


def _file(traces: Iterable[Trace], name: str) -> StreamingHttpResponse:
    disposition = content_disposition_header(True, cassettes.file_name(name))
    return streaming.respond(
        cassettes.export(traces), headers={"Content-Disposition": str(disposition)}
    )
