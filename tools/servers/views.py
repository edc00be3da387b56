"""The pages of MCP servers. A view fetches, calls one function, renders."""

import json
from uuid import UUID

from django.contrib import messages
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from audit.models import Action
from audit.recording import record, record_saved
from db.public_ids import parse_public_id
from db.users import signed_in_user
from tools.accounts import views
from tools.definitions import quality
from tools.health import chart, checks
from tools.mcp import logs
from tools.models import Policy, Server, Trial
from tools.permissions import may_own_servers
from tools.results.content import media
from tools.results.views import media_response
from tools.rights import (
    editable,
    for_registrars,
    may_edit,
    refuse_programs,
    signed_in,
    visible,
)
from tools.servers import interchange, review
from tools.servers.forms import ServerForm
from tools.trials import trials


@signed_in
@require_safe
def servers(request: HttpRequest) -> HttpResponse:
    """What this user may change, and what else they may use."""
    mine = Server.objects.editable_by(request.user)
    usable = Server.objects.for_user(request.user).filter(enabled=True)
    counted = Count("tools", filter=Q(tools__enabled=True))
    rows = Server.objects.filter(Q(pk__in=mine) | Q(pk__in=usable)).annotate(tool_count=counted)
    rows = rows.prefetch_related("groups")
    edited = set(mine.values_list("pk", flat=True))
    context = {
        "servers": [row for row in rows if row.pk in edited],
        "usable": [row for row in rows if row.pk not in edited],
        "may_register": may_own_servers(request.user),
    }
    return render(request, "tools/servers.html", context)


@for_registrars
@require_http_methods(["GET", "HEAD", "POST"])
def register(request: HttpRequest) -> HttpResponse:
    return _edit(request, Server())


@signed_in
@require_safe
def server(request: HttpRequest, public_id: UUID) -> HttpResponse:
    return render(request, "tools/server.html", _context(request, public_id))


@signed_in
@require_safe
def status(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The part of the page that a check changes; polled while one runs."""
    return render(request, "tools/_status.html", _context(request, public_id))


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, public_id: UUID) -> HttpResponse:
    return _edit(request, editable(request, public_id))


@signed_in
@require_POST
def test(request: HttpRequest, public_id: UUID) -> HttpResponse:
    tested = editable(request, public_id)
    checks.ask(tested, request.user.pk)
    return redirect(tested)


@signed_in
@require_POST
def delete(request: HttpRequest, public_id: UUID) -> HttpResponse:
    deleted = editable(request, public_id)
    record(Action.DELETED, request.user, deleted)
    deleted.delete()
    messages.success(request, gettext("The server %(name)s was deleted.") % {"name": deleted.name})
    return redirect("tools:servers")


@for_registrars
@require_safe
def export(request: HttpRequest, public_id: UUID | None = None) -> HttpResponse:
    """`mcpServers` JSON of one server, or of all that this user may change."""
    if public_id is None:
        written = interchange.exported(Server.objects.editable_by(request.user))
    else:
        written = interchange.exported([editable(request, public_id)])
    text = json.dumps(written, ensure_ascii=False, indent=2) + "\n"
    response = HttpResponse(text, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="mcp.json"'
    return response


@for_registrars
@require_POST
def try_connection(request: HttpRequest) -> HttpResponse:
    """Tests what the form says, before anything is saved."""
    refuse_programs(request.user, request.POST.get("transport", ""))
    form = ServerForm(request.POST, instance=_edited(request), user=request.user)
    if not form.is_valid():
        return render(request, "tools/_refused.html", {"form": form}, status=422)
    if not trials.has_room(signed_in_user(request)):
        return render(request, "tools/_refused.html", {"busy": True}, status=429)
    trial = trials.ask_connection(signed_in_user(request), form.candidate().config())
    return _trial_page(request, trial)


@signed_in
@require_safe
def trial(request: HttpRequest, public_id: UUID) -> HttpResponseBase:
    """How far a trial is; polled while it runs."""
    rows = Trial.objects.for_user(request.user).select_related("trace", "server")
    found = rows.filter(public_id=public_id).first()
    if found is None:
        return render(request, "tools/_refused.html", {"gone": True}, status=404)
    return _trial_page(request, found)


@signed_in
@require_safe
def trial_media(request: HttpRequest, public_id: UUID, position: int) -> HttpResponse:
    """The bytes of a block of a result: shown if an image or a sound, else only to be saved."""
    trial = get_object_or_404(Trial.objects.for_user(request.user), public_id=public_id)
    blocks = (trial.found or {}).get("content") or []
    block = blocks[position] if position < len(blocks) else {}
    return media_response(media(block), position)


def _trial_page(request: HttpRequest, shown: Trial) -> HttpResponse:
    return render(request, "tools/_trial.html", {"trial": shown})


def _edited(request: HttpRequest) -> Server:
    """The server whose form it is (`?server=`), if this user may change it; else a new one."""
    named = request.GET.get("server")
    if not named:
        return Server()
    known = parse_public_id(named)
    if known is None:
        raise Http404("There is no such server.")
    return editable(request, known)


def _edit(request: HttpRequest, edited: Server) -> HttpResponse:
    if request.method == "POST":
        refuse_programs(request.user, request.POST.get("transport", ""))
    form = ServerForm(request.POST or None, instance=edited, user=request.user)
    if request.method == "POST" and form.is_valid():
        is_new = edited.pk is None
        saved = form.save()
        record_saved(request.user, saved, form, is_new=is_new)
        checks.ask(saved, request.user.pk)
        return redirect(saved)
    refused = request.method == "POST"
    return render(request, "tools/form.html", {"form": form}, status=422 if refused else 200)


def _context(request: HttpRequest, public_id: UUID) -> dict[str, object]:
    shown = visible(request, public_id)
    edits = may_edit(request.user, shown)
    rows = shown.tools.select_related("server")
    tools = list(rows if edits else rows.callable())
    context = {"server": shown, "tools": tools, "may_edit": edits, "policies": Policy.choices}
    offered = [tool.quality for tool in tools if tool.enabled]
    context |= {
        "tokens": quality.total(offered),
        "undescribed": sum(bool(one.warnings) for one in offered),
    }
    if shown.uses_oauth and request.user.pk is not None:
        context |= views.shown(shown, request.user.pk)
    if edits:
        context |= {
            "trial": shown.trials.filter(kind=Trial.Kind.CONNECTION).first(),
            "waiting": [(tool, review.difference(tool)) for tool in tools if tool.needs_review],
            "health": chart.of(shown),
            "session_logs": logs.of_server(shown.name),
        }
    return context
