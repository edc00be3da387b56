"""Registering servers from pasted `mcpServers` JSON: what it says first, then the rows."""

from collections.abc import Sequence

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from audit.models import Action
from audit.recording import record
from tools.health import checks
from tools.models import TOO_MANY_SERVERS, Server
from tools.permissions import may_add_programs, may_change_servers
from tools.rights import for_registrars
from tools.servers.forms import url_problem
from tools.servers.interchange import Entry, NotReadable, parse, server_of, with_command_as_url

SECRETS = ("env", "headers", "oauth_client_secret")


@for_registrars
@require_http_methods(["GET", "HEAD", "POST"])
def import_servers(request: HttpRequest) -> HttpResponse:
    """Pasting, preview, registering. Nothing is started before the preview is confirmed."""
    if request.method != "POST":
        return render(request, "tools/import.html")
    text = request.POST.get("text", "")
    try:
        entries = parse(text, Server.objects.values_list("name", flat=True))
    except NotReadable as error:
        context = {"text": text, "problem": str(error)}
        return render(request, "tools/import.html", context, status=422)
    entries = [_as_answered(request, entry) for entry in entries]
    if not may_add_programs(request.user) and any(entry.is_stdio for entry in entries):
        raise PermissionDenied  # a stdio server runs a program on this machine
    if "register" not in request.POST:
        return render(request, "tools/import.html", _preview(text, entries))
    return _register(request, text, entries)


def _as_answered(request: HttpRequest, entry: Entry) -> Entry:
    """The entry with its command as a URL, if the person chose that or may not run programs."""
    if not entry.has_url_as_command:
        return entry
    is_url = request.POST.get(f"as:{entry.name}") == "url" or not may_add_programs(request.user)
    return with_command_as_url(entry) if is_url else entry


def _preview(text: str, entries: Sequence[Entry]) -> dict[str, object]:
    names = dict.fromkeys(name for entry in entries for name in entry.placeholders)
    return {"text": text, "entries": entries, "placeholders": list(names)}


def _register(request: HttpRequest, text: str, entries: Sequence[Entry]) -> HttpResponse:
    wanted = set(request.POST.getlist("take"))
    prefix = "value:"
    values = {
        key.removeprefix(prefix): str(value)
        for key, value in request.POST.items()
        if key.startswith(prefix)
    }
    rows = [server_of(entry, values) for entry in entries if entry.name in wanted]
    problems = [sentence for row in rows for sentence in _problems(request, row)]
    own = [row for row in rows if row.owner_id is not None]
    if not Server.objects.has_room(request.user, len(own)):
        problems.append(TOO_MANY_SERVERS)
    if problems or not rows:
        chosen = problems or [gettext("Choose at least one server.")]
        context = _preview(text, entries) | {"problems": chosen}
        return render(request, "tools/import.html", context, status=422)
    with transaction.atomic():
        for row in rows:
            row.save()
            record(Action.ADDED, request.user, row)
            checks.ask(row)
    messages.success(
        request, gettext("Registered: %(rows)s.") % {"rows": ", ".join(row.name for row in rows)}
    )
    return redirect(rows[0] if len(rows) == 1 else "tools:servers")


def _problems(request: HttpRequest, row: Server) -> list[str]:
    """What is wrong with a row, as sentences that begin with its name."""
    if not may_change_servers(request.user):
        row.owner = request.user  # type: ignore[assignment]  # it is signed in
    if row.url and (problem := url_problem(row.url)):
        return [f"{row.name}: {problem}"]
    try:
        row.full_clean(exclude=SECRETS)  # they are no texts to be cleaned
    except ValidationError as error:
        return [f"{row.name}: {sentence}" for sentence in error.messages]
    return []
