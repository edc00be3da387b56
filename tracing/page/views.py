"""The pages of a trace; 404 for users who may not see it."""

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

from tracing import readings, streaming
from tracing.export import trace_json as export
from tracing.journal import actions as acts
from tracing.journal import trace_rounds
from tracing.journal.trace_rounds import Round
from tracing.models import Action, Trace
from tracing.page import links, versions, view_options
from tracing.page.round_page import RoundPage, read_round_page
from tracing.page.timeline import player
from tracing.page.trace_page import opening_round, read_trace_page


@require_safe
def trace(request: HttpRequest, trace_id: uuid.UUID) -> HttpResponseBase:
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    trace_row = _find(request, trace_id)
    if "span" in request.GET and "round" not in request.GET:
        return redirect(_span_address(request.GET, trace_row))
    seen_version = versions.version(trace_row) if trace_row.is_running else ""
    rounds = {round_.number: round_ for round_ in trace_rounds.rounds(trace_row)}
    number = request.GET.get("round")
    chosen = _known_number(number, list(rounds)) if number else None
    chosen = chosen or opening_round(trace_row, list(rounds))
    actions = acts.of_trace(trace_row)
    context = {
        "page": read_trace_page(trace_row, list(rounds.values()), seen_version, chosen, actions),
        "here": _round_page(request.GET, trace_row, rounds[chosen], list(rounds), actions)
        if chosen
        else None,
    }
    return render(request, "tracing/trace.html", context)


@require_safe
def round_part(request: HttpRequest, trace_id: uuid.UUID, number: int) -> HttpResponse:
    """The chosen round as a fragment of the page."""
    trace_row = _find(request, trace_id)
    round_ = trace_rounds.find_round(trace_row, number)
    if round_ is None:
        raise Http404("There is no such round.")
    numbers = trace_rounds.round_numbers(trace_row)
    here = _round_page(request.GET, trace_row, round_, numbers, acts.of_trace(trace_row))
    return render(request, "tracing/_part_round.html", {"here": here})


@require_safe
def timeline(request: HttpRequest, trace_id: uuid.UUID, number: int) -> HttpResponse:
    """The events of a round with their times, as JSON for the player."""
    round_ = trace_rounds.find_round(_find(request, trace_id), number)
    if round_ is None:
        raise Http404("There is no such round.")
    return JsonResponse(player.timeline(round_))


@require_safe
def version(request: HttpRequest, trace_id: uuid.UUID) -> HttpResponse:
    """The version of the trace; a page with another one is out of date."""
    return HttpResponse(versions.version(_find(request, trace_id)), content_type="text/plain")


@require_safe
def trace_json(request: HttpRequest, trace_id: uuid.UUID) -> HttpResponseBase:
    trace_row = _find(request, trace_id)
    numbers = trace_rounds.round_numbers(trace_row)
    if "round" in request.GET:
        numbers = [_known_number(request.GET["round"], numbers)]
    is_compact = request.GET.get("form") == "compact"
    return streaming.respond(export.document(trace_row, numbers, is_compact))


def _find(request: HttpRequest, trace_id: uuid.UUID) -> Trace:
    traces = Trace.objects.for_user(request.user).select_related("archive", "parent")
    return readings.note(request.user, get_object_or_404(traces, public_id=trace_id))


def _round_page(
    query: QueryDict, trace_row: Trace, round_: Round, numbers: list[int], actions: list[Action]
) -> RoundPage:
    chosen = query.get("attempt", ""), query.get("span", "")
    return read_round_page(trace_row, round_, numbers, *chosen, view_options.read(query), actions)


def _span_address(query: QueryDict, trace_row: Trace) -> str:
    """The full address of a span that the query names without its round."""
    span = links.find_span(trace_row, query.get("span", ""))
    if span is None:
        raise Http404("There is no such span in this trace.")
    options = view_options.read(query)
    if not options.opened:
        return links.address(span)
    return links.address_in(span, options.opened, options.find, options.between)


def _known_number(text: str, numbers: list[int]) -> int:
    by_text = {str(number): number for number in numbers}
    if text not in by_text:
        raise Http404("There is no such round.")
    return by_text[text]
