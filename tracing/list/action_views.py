"""Acts on traces of the list: delete, export."""

from collections.abc import Iterator

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from limits.traces import MAX_BULK_TRACES, MAX_EXPORTED_TRACES
from tracing import streaming
from tracing.export import cassettes, trace_json
from tracing.list import actions
from tracing.list.actions import Chosen
from tracing.list.views import zone_of


@never_cache
@login_required
@require_POST
def delete(request: HttpRequest) -> HttpResponse:
    """Asks first; with `sure` it deletes."""
    chosen = _chosen(request)
    if not chosen.ids:
        return _nothing(request)
    what = actions.deletable(request.user, chosen)
    running = what.running
    if request.POST.get("sure") != "1":
        shown = what.traces.select_related("owner")[: actions.SHOWN]
        context = {
            "what": what,
            "shown": shown,
            "more": len(what.ids) - len(shown),
            "running": running,
            "refused": len(chosen.ids) - len(what.ids),
            "deletable": len(what.ids) - running,
            "most": MAX_BULK_TRACES,
            "posted": request.POST,
            "traces": request.POST.getlist("trace"),
            "back": _list_address(request),
        }
        return render(request, "tracing/list_delete.html", context)
    gone, left = actions.delete(request.user, what)
    sentence = f"{gone:,} trace{'' if gone == 1 else 's'} deleted."
    if left:
        sentence += f" {left:,} more are being deleted."
    if running:
        sentence += f" {running:,} running: stop them first."
    messages.success(request, sentence)
    return redirect(_list_address(request))


@never_cache
@login_required
@require_POST
def export_json(request: HttpRequest) -> HttpResponseBase:
    """A JSON document with every stage of the chosen traces."""
    what = _chosen(request)
    if not what.ids:
        return _nothing(request)
    traces = list(what.traces[:MAX_EXPORTED_TRACES].select_related("archive", "parent"))
    return _file(trace_json.documents(traces), "traces.json")


@never_cache
@login_required
@require_POST
def export_cassette(request: HttpRequest) -> HttpResponseBase:
    """One cassette of the chosen traces, the earliest first."""
    what = _chosen(request)
    if not what.ids:
        return _nothing(request)
    traces = list(what.traces[:MAX_EXPORTED_TRACES].select_related("archive", "parent"))
    return _file(cassettes.export(traces[::-1], "Selection"), "selection.cassette.json")


def _chosen(request: HttpRequest) -> Chosen:
    return actions.chosen(request.user, request.POST, zone_of(request))


def _nothing(request: HttpRequest) -> HttpResponse:
    messages.warning(request, "Nothing was selected, or it no longer exists.")
    return redirect(_list_address(request))


def _list_address(request: HttpRequest) -> str:
    """The list as it was; only its own queries are followed."""
    query = request.POST.get("wish", "")
    return reverse("tracing:list") + (query if query.startswith("?") else "")


def _file(pieces: Iterator[str], name: str) -> HttpResponseBase:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return streaming.respond(pieces, headers=headers)
