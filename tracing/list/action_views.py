"""Views for selected traces of the list: delete, export."""

from collections.abc import Iterator, Sequence

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from audit.models import Action
from audit.recording import record
from db.users import signed_in_user
from limits.audit import MAX_NAMED_TRACES
from limits.traces import MAX_BULK_TRACES, MAX_EXPORTED_TRACES
from tracing import streaming
from tracing.export import cassettes, trace_json
from tracing.list import actions
from tracing.list.actions import Selection
from tracing.list.views import zone_of
from tracing.models import Trace


@never_cache
@login_required
@require_POST
def delete(request: HttpRequest) -> HttpResponse:
    """The page that asks for confirmation; with `sure` deletes."""
    selection = _selection(request)
    if not selection.ids:
        return _nothing(request)
    deletable = actions.deletable(request.user, selection)
    running = deletable.running
    if request.POST.get("sure") != "1":
        listed = deletable.traces.select_related("owner")[: actions.LISTED]
        context = {
            "is_cut": deletable.is_cut,
            "listed": listed,
            "more": len(deletable.ids) - len(listed),
            "running": running,
            "refused": len(selection.ids) - len(deletable.ids),
            "deletable": len(deletable.ids) - running,
            "most": MAX_BULK_TRACES,
            "posted": request.POST,
            "traces": request.POST.getlist("trace"),
            "back": _list_address(request),
        }
        return render(request, "tracing/list_delete.html", context)
    count, left = actions.delete(signed_in_user(request), deletable)
    sentence = ngettext("%(count)s trace deleted.", "%(count)s traces deleted.", count)
    sentences = [sentence % {"count": f"{count:,}"}]
    if left:
        sentences.append(gettext("%(count)s more are being deleted.") % {"count": f"{left:,}"})
    if running:
        text = gettext("%(count)s running: stop them first.")
        sentences.append(text % {"count": f"{running:,}"})
    messages.success(request, " ".join(sentences))
    return redirect(_list_address(request))


@never_cache
@login_required
@require_POST
def export_json(request: HttpRequest) -> HttpResponseBase:
    """A JSON document with every stage of the selected traces."""
    selection = _selection(request)
    if not selection.ids:
        return _nothing(request)
    traces = list(selection.traces[:MAX_EXPORTED_TRACES].select_related("archive", "parent"))
    _record(request, traces)
    return _file(trace_json.documents(traces), "traces.json")


@never_cache
@login_required
@require_POST
def export_cassette(request: HttpRequest) -> HttpResponseBase:
    """One cassette of the selected traces, the earliest first."""
    selection = _selection(request)
    if not selection.ids:
        return _nothing(request)
    traces = list(selection.traces[:MAX_EXPORTED_TRACES].select_related("archive", "parent"))
    _record(request, traces)
    return _file(cassettes.export(traces[::-1], "Selection"), "selection.cassette.json")


def _record(request: HttpRequest, traces: Sequence[Trace]) -> None:
    named = [str(one.public_id) for one in traces[:MAX_NAMED_TRACES]]
    record(Action.TRACES_EXPORTED, request.user, count=len(traces), traces=named)


def _selection(request: HttpRequest) -> Selection:
    return actions.read_selection(request.user, request.POST, zone_of(request))


def _nothing(request: HttpRequest) -> HttpResponse:
    messages.warning(request, gettext("Nothing was selected, or it no longer exists."))
    return redirect(_list_address(request))


def _list_address(request: HttpRequest) -> str:
    """Address of the list with the filter of the form; no other address is accepted."""
    query = request.POST.get("wish", "")
    return reverse("tracing:list") + (query if query.startswith("?") else "")


def _file(pieces: Iterator[str], name: str) -> HttpResponseBase:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return streaming.respond(pieces, headers=headers)
