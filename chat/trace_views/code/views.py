"""A round's request as a program: a page, and plain text for the clipboard.

Access is that of the trace, else 404.
"""

import uuid

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from chat.errors import Rejected
from chat.markdown.highlight import highlight
from chat.trace_views.code.curl import curl
from chat.trace_views.code.python import python
from chat.trace_views.code.recorded_request import RecordedRequest, recorded_request
from chat.trace_views.prompt.source import generation_of
from limits.replay import MAX_SHOWN_CODE
from tracing import readings
from tracing.formatting.text import decode
from tracing.journal import trace_rounds
from tracing.models import Span, Trace
from tracing.page.links import attempt_of

PROGRAMS = {"curl": curl, "python": python}
LEXERS = {"curl": "bash", "python": "python"}


@require_safe
def page(request: HttpRequest, trace_id: uuid.UUID, number: int, program: str) -> HttpResponseBase:
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    trace, generation = _find(request, trace_id, number)
    context = {
        "trace": trace,
        "attempt": attempt_of(generation),
        "number": number,
        "numbers": trace_rounds.round_numbers(trace),
        "program": program,
        **_shown(generation, program),
    }
    return render(request, "code/page.html", context)


@require_safe
def plain(request: HttpRequest, trace_id: uuid.UUID, number: int, program: str) -> HttpResponse:
    """All of the program, as nothing but text."""
    try:
        text, status = _written(recorded_request(_find(request, trace_id, number)[1]), program), 200
    except Rejected as error:
        text, status = str(error), 422
    response = HttpResponse(
        text.encode(errors="replace"), content_type="text/plain; charset=utf-8", status=status
    )
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _shown(generation: Span, program: str) -> dict[str, object]:
    """The program with its colours, or the sentence that says why there is none."""
    try:
        sent = recorded_request(generation)
        written = _written(sent, program)
    except Rejected as error:
        return {"problem": str(error)}
    clip = decode(written.encode(errors="replace"), MAX_SHOWN_CODE)
    return {
        "problem": "",
        "sent": sent,
        "clip": clip,
        "markup": mark_safe(highlight(clip.text, LEXERS[program])),  # it escapes
    }


def _written(sent: RecordedRequest, program: str) -> str:
    return PROGRAMS[program](sent)


def _find(request: HttpRequest, trace_id: uuid.UUID, number: int) -> tuple[Trace, Span]:
    traces = Trace.objects.for_user(request.user).select_related("archive")
    trace = readings.note(request.user, get_object_or_404(traces, public_id=trace_id))
    generation = generation_of(trace, number, request.GET.get("attempt", ""))
    if generation is None:
        raise Http404("There is no such round.")
    return trace, generation
