"""The pages of a trace. Whoever may not see one gets what a trace that is not there gets: 404."""

import uuid

from django.http import Http404, HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from tracing import export, journal
from tracing.models import Trace


@require_safe
def trace_json(request: HttpRequest, trace_id: uuid.UUID) -> HttpResponseBase:
    trace = _find(request, trace_id)
    numbers = journal.round_numbers(trace)
    if "round" in request.GET:
        numbers = [_known_number(request.GET["round"], numbers)]
    return StreamingHttpResponse(export.stream(trace, numbers), content_type="application/json")


def _find(request: HttpRequest, trace_id: uuid.UUID) -> Trace:
    traces = Trace.objects.for_user(request.user).select_related("archive")
    return get_object_or_404(traces, public_id=trace_id)


def _known_number(text: str, numbers: list[int]) -> int:
    known = {str(number): number for number in numbers}
    if text not in known:
        raise Http404("There is no such round.")
    return known[text]
