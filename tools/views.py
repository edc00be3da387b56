"""The admin's pages for MCP servers. A view fetches, calls one function, renders."""

from collections.abc import Callable
from functools import wraps
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tools import checks
from tools.forms import ServerForm
from tools.models import Server

View = Callable[..., HttpResponseBase]


def for_admins(view: View) -> View:
    """A stdio server runs a program on this machine: staff only, 403 for everyone else."""

    @wraps(view)
    @never_cache
    def guarded(request: HttpRequest, *args: object, **options: object) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if not request.user.is_staff:
            raise PermissionDenied
        return view(request, *args, **options)

    return guarded


@for_admins
@require_safe
def servers(request: HttpRequest) -> HttpResponse:
    counted = Server.objects.annotate(tool_count=Count("tools", filter=Q(tools__enabled=True)))
    return render(request, "tools/servers.html", {"servers": counted})


@for_admins
@require_http_methods(["GET", "HEAD", "POST"])
def register(request: HttpRequest) -> HttpResponse:
    return _edit(request, Server())


@for_admins
@require_safe
def server(request: HttpRequest, public_id: UUID) -> HttpResponse:
    return render(request, "tools/server.html", {"server": _server(public_id)})


@for_admins
@require_safe
def status(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The part of the page that a check changes; polled while one runs."""
    return render(request, "tools/_status.html", {"server": _server(public_id)})


@for_admins
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, public_id: UUID) -> HttpResponse:
    return _edit(request, _server(public_id))


@for_admins
@require_POST
def test(request: HttpRequest, public_id: UUID) -> HttpResponse:
    tested = _server(public_id)
    checks.ask(tested)
    return redirect(tested)


@for_admins
@require_POST
def delete(request: HttpRequest, public_id: UUID) -> HttpResponse:
    deleted = _server(public_id)
    deleted.delete()
    messages.success(request, f"The server {deleted.name} was deleted.")
    return redirect("tools:servers")


def _edit(request: HttpRequest, edited: Server) -> HttpResponse:
    form = ServerForm(request.POST or None, instance=edited)
    if request.method == "POST" and form.is_valid():
        saved = form.save()
        checks.ask(saved)
        return redirect(saved)
    refused = request.method == "POST"
    return render(request, "tools/form.html", {"form": form}, status=422 if refused else 200)


def _server(public_id: UUID) -> Server:
    return get_object_or_404(Server.objects.prefetch_related("tools"), public_id=public_id)
