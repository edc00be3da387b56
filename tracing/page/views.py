"""The pages of a trace. Whoever may not see one gets what a trace that is not there gets: 404."""

import uuid

from django.contrib.auth.views import redirect_to_login
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
    QueryDict,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from tracing import streaming
from tracing.export import trace_json as export
from tracing.journal import trace_rounds
from tracing.journal.trace_rounds import Round
from tracing.models import Trace
from tracing.page import links, versions, view_options
from tracing.page.round_page import RoundPage, read_round_page
from tracing.page.timeline import player
from tracing.page.trace_page import opening_round, read_trace_page


@require_safe
def trace(request: HttpRequest, trace_id: uuid.UUID) -> HttpResponseBase:
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    found = _find(request, trace_id)
    if "span" in request.GET and "round" not in request.GET:
        return redirect(_span_address(request.GET, found))
    seen = versions.version(found) if found.is_running else ""
    rounds = {item.number: item for item in trace_rounds.rounds(found)}
    number = request.GET.get("round")
    chosen = _known_number(number, list(rounds)) if number else None
    chosen = chosen or opening_round(found, list(rounds))
    context = {
        "page": read_trace_page(found, list(rounds.values()), seen, chosen),
        "here": _round_page(request.GET, found, rounds[chosen], list(rounds)) if chosen else None,
    }
    return render(request, "tracing/trace.html", context)


@require_safe
def round_part(request: HttpRequest, trace_id: uuid.UUID, number: int) -> HttpResponse:
    """The chosen round alone, to be put into a page that is open."""
    found = _find(request, trace_id)
    item = trace_rounds.find_round(found, number)
    if item is None:
        raise Http404("There is no such round.")
    here = _round_page(request.GET, found, item, trace_rounds.round_numbers(found))
    return render(request, "tracing/_part_round.html", {"here": here})


@require_safe
def timeline(request: HttpRequest, trace_id: uuid.UUID, number: int) -> HttpResponse:
    """What happened in a round and when, as JSON for the player."""
    item = trace_rounds.find_round(_find(request, trace_id), number)
    if item is None:
        raise Http404("There is no such round.")
    return JsonResponse(player.timeline(item))


@require_safe
def version(request: HttpRequest, trace_id: uuid.UUID) -> HttpResponse:
    """Another one than the page's says that the page is out of date."""
    return HttpResponse(versions.version(_find(request, trace_id)), content_type="text/plain")


@require_safe
def trace_json(request: HttpRequest, trace_id: uuid.UUID) -> HttpResponseBase:
    found = _find(request, trace_id)
    numbers = trace_rounds.round_numbers(found)
    if "round" in request.GET:
        numbers = [_known_number(request.GET["round"], numbers)]
    is_compact = request.GET.get("form") == "compact"
    return streaming.respond(export.document(found, numbers, is_compact))


def _find(request: HttpRequest, trace_id: uuid.UUID) -> Trace:
    traces = Trace.objects.for_user(request.user).select_related("archive", "parent")
    return get_object_or_404(traces, public_id=trace_id)


def _round_page(query: QueryDict, found: Trace, item: Round, numbers: list[int]) -> RoundPage:
    chosen = query.get("attempt", ""), query.get("span", "")
    return read_round_page(found, item, numbers, *chosen, view_options.read(query))


def _span_address(query: QueryDict, found: Trace) -> str:
    """Where the span stands that an address names without its round."""
    span = links.find_span(found, query.get("span", ""))
    if span is None:
        raise Http404("There is no such span in this trace.")
    options = view_options.read(query)
    if not options.opened:
        return links.address(span)
    return links.address_in(span, options.opened, options.find, options.between)


def _known_number(text: str, numbers: list[int]) -> int:
    known = {str(number): number for number in numbers}
    if text not in known:
        raise Http404("There is no such round.")
    return known[text]
