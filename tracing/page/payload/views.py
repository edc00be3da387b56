"""One payload: its exact bytes, a part of them, the matches of a text, and its page."""

import uuid

from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
)
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from limits.trace_pages import MAX_WHOLE_DOWNLOAD_BYTES
from limits.traces import MAX_FIND
from tracing import readings, streaming
from tracing.errors import PayloadCorrupt
from tracing.models import Payload, Trace
from tracing.page.payload import parts, reader, text_matches
from tracing.store.ranges import Body


@require_safe
def payload(
    request: HttpRequest, trace_id: uuid.UUID, span_id: uuid.UUID, stage: str
) -> HttpResponseBase:
    """The exact bytes, as plain text that no browser interprets as anything else."""
    body = Body(_find(request, trace_id, span_id, stage))
    try:
        examined = body.examine()
    except PayloadCorrupt as error:
        return _damaged(error)
    kind = "text/plain; charset=utf-8"
    response: HttpResponseBase
    if body.size <= MAX_WHOLE_DOWNLOAD_BYTES:
        response = HttpResponse(body.read(0, body.size), content_type=kind)
    else:
        response = streaming.respond(body.stream(), kind)
    if not examined.is_text:
        response["Content-Type"] = "application/octet-stream"
    if not examined.is_text or "download" in request.GET:
        ending = "txt" if examined.is_text else "bin"
        response["Content-Disposition"] = f'attachment; filename="{span_id}-{stage}.{ending}"'
    response["Content-Length"] = str(body.size)
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["X-Content-Type-Options"] = "nosniff"
    return response


@require_safe
def part(
    request: HttpRequest, trace_id: uuid.UUID, span_id: uuid.UUID, stage: str, number: int
) -> HttpResponse:
    """One part as HTML, with the matches of `find` marked."""
    body = Body(_find(request, trace_id, span_id, stage))
    options = reader.read_options(request.GET)
    try:
        width = options.hex_width if options.is_hex else 0
        one = parts.read_part(body, number, options.find, width, options.between)
    except PayloadCorrupt as error:
        return _damaged(error)
    return render(request, "tracing/_reader_part.html", {"part": one})


@require_safe
def find(request: HttpRequest, trace_id: uuid.UUID, span_id: uuid.UUID, stage: str) -> HttpResponse:
    """Matches of the text `find`: `{"at": [byte, …], "parts": [number, …], "more": false}`."""
    body = Body(_find(request, trace_id, span_id, stage))
    query = _query(request)
    try:
        matches = text_matches.find(body, query) if query else text_matches.Matches([])
        numbers = reader.part_numbers(body, matches.matches, is_hex="hex" in request.GET)
    except PayloadCorrupt as error:
        return _damaged(error)
    at = [match.start for match in matches.matches]
    return JsonResponse({"at": at, "parts": numbers, "more": matches.more})


@require_safe
def page(request: HttpRequest, trace_id: uuid.UUID, span_id: uuid.UUID, stage: str) -> HttpResponse:
    """The page of one payload."""
    stored = _find(request, trace_id, span_id, stage)
    options = reader.read_options(request.GET)
    context = {"stored": stored, "reader": reader.read(stored, options), "back": _back(stored)}
    return render(request, "tracing/payload.html", context)


def _find(request: HttpRequest, trace_id: uuid.UUID, span_id: uuid.UUID, stage: str) -> Payload:
    traces = Trace.objects.for_user(request.user)
    trace = readings.note(request.user, get_object_or_404(traces, public_id=trace_id))
    return get_object_or_404(
        Payload.objects.select_related("span__trace", "span__parent"),
        span__trace=trace,
        span__public_id=span_id,
        stage=stage,
    )


def _query(request: HttpRequest) -> str:
    return request.GET.get("find", "")[:MAX_FIND]


def _damaged(error: PayloadCorrupt) -> HttpResponse:
    return HttpResponse(
        gettext("The stored data is damaged: %(reason)s.") % {"reason": error.reason}, status=500
    )


def _back(stored: Payload) -> str:
    """Address of the payload in its trace."""
    span = stored.span
    address = reverse("tracing:trace", args=[span.trace.public_id])
    number = span.parent.number if span.parent else 1
    if span.kind == "generation":
        return f"{address}?round={number}&attempt={span.number}#stage-{stored.stage}"
    return f"{address}?round={number}#span-{span.public_id}"
