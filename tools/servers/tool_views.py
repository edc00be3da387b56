"""The pages of a server's tools: switches, policies, approval, and trying one."""

import json
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST, require_safe

from audit.models import Action
from audit.recording import record
from db.users import signed_in_user
from limits.audit import MAX_NAMED_TOOLS
from limits.tools import MAX_TRIAL_ARGUMENTS
from tools.models import Policy, Server, ServerTool
from tools.rights import editable, may_edit, may_use, signed_in, tool_of, visible
from tools.servers import review
from tools.trials import trials

POLICIES = ("", *Policy.values)


@signed_in
@require_safe
def tool(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """One tool in full, with a form to try it."""
    server = visible(request, public_id)
    shown = tool_of(request, server)
    edits = may_edit(request.user, server)
    context = {
        "server": server,
        "tool": shown,
        "may_edit": edits,
        "policies": Policy.choices,
        "difference": review.difference(shown) if edits and shown.needs_review else None,
        "may_try": _may_try(request, server, shown),
        "schema": shown.input_schema,
    }
    return render(request, "tools/tool.html", context)


@signed_in
@require_POST
def change(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Switches the named tools, or all, on or off, or sets their policy."""
    server = editable(request, public_id)
    rows = server.tools.all()
    if "all" not in request.POST:
        named = request.POST.getlist("tool")
        rows = rows.filter(pk__in=[int(pk) for pk in named if pk.isdecimal() and len(pk) < 19])
    changes: dict[str, Any] = {}
    if (switch := request.POST.get("enabled")) in ("on", "off"):
        changes["enabled"] = switch == "on"
    if (policy := request.POST.get("policy")) in POLICIES:
        changes["policy"] = policy
    if not changes:
        return HttpResponseBadRequest(gettext("Nothing to change."))
    names = list(rows.values_list("name", flat=True))
    rows.update(**changes)
    about: dict[str, Any] = {"count": len(names), "tools": names[:MAX_NAMED_TOOLS]}
    record(Action.CHANGED, request.user, server, **changes, **about)
    return _answer(request, server)


@signed_in
@require_POST
def approve(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Approves tools as they were shown; a tool that has changed since is still to be reviewed."""
    server = editable(request, public_id)
    seen = set(request.POST.getlist("seen"))
    approved = review.approve_all(server, seen)
    record(Action.TOOLS_APPROVED, request.user, server, count=approved)
    if approved < len(seen):
        messages.warning(request, gettext("Some tools changed again meanwhile. Review them again."))
    else:
        sentence = ngettext("%(count)s tool approved.", "%(count)s tools approved.", approved)
        messages.success(request, sentence % {"count": approved})
    return redirect(server)


@signed_in
@require_POST
def try_tool(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Calls the tool with the arguments of the form, in the `tools` worker."""
    server = visible(request, public_id)
    shown = tool_of(request, server)
    arguments = request.POST.get("arguments", "")
    if not _may_try(request, server, shown) or not trials.has_room(signed_in_user(request)):
        return render(request, "tools/_refused.html", {"busy": True}, status=429)
    if problem := _problem(arguments):
        return render(request, "tools/_refused.html", {"problem": problem}, status=422)
    trial = trials.ask_call(signed_in_user(request), shown, arguments)
    return render(request, "tools/_trial.html", {"trial": trial})


def _problem(arguments: str) -> str:
    if len(arguments) > MAX_TRIAL_ARGUMENTS:
        return gettext("The arguments have more than %(most)s characters.") % {
            "most": f"{MAX_TRIAL_ARGUMENTS:,}"
        }
    try:
        json.loads(arguments or "{}")
    except (ValueError, RecursionError) as error:
        return gettext("The arguments are not JSON: %(error)s.") % {"error": error}
    return ""


def _may_try(request: HttpRequest, server: Server, shown: ServerTool) -> bool:
    """Who may use a tool may try it; a tool whose calls are refused, only who may change that."""
    callable_now = shown.enabled and server.enabled and not shown.needs_review
    is_theirs = may_edit(request.user, server) or shown.chosen_policy != Policy.DENY
    return callable_now and is_theirs and may_use(request.user, server)


def _answer(request: HttpRequest, server: Server) -> HttpResponse:
    if request.headers.get("X-Requested-With") == "fetch":
        return HttpResponse(status=204)
    return redirect(server)
