"""The page of the tools that ship with the program: for admins, who switch them for everyone."""

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from audit.models import Action
from audit.recording import record
from tools.catalogue import switches
from tools.definitions import quality
from tools.models import Policy
from tools.permissions import CHANGE_LOCAL_TOOL
from tools.rights import requires

UNKNOWN = "This tool, switch or policy does not exist. Reload the page."


@requires(CHANGE_LOCAL_TOOL)
@require_safe
def tools(request: HttpRequest) -> HttpResponse:
    shown = switches.built_in()
    context = {
        "tools": shown,
        "policies": Policy.choices,
        "tokens": quality.total(one.quality for one in shown if one.is_usable),
    }
    return render(request, "tools/built_in.html", context)


@requires(CHANGE_LOCAL_TOOL)
@require_POST
def change(request: HttpRequest) -> HttpResponse:
    """Switches one tool, or sets its policy; both, if both are given."""
    enabled, policy = request.POST.get("enabled"), request.POST.get("policy")
    if enabled not in (None, "on", "off") or (enabled is None and policy is None):
        return HttpResponseBadRequest(UNKNOWN)
    try:
        switches.switch(
            request.POST.get("tool", ""),
            enabled=None if enabled is None else enabled == "on",
            policy=policy,
        )
    except (KeyError, ValueError):
        return HttpResponseBadRequest(UNKNOWN)
    tool = request.POST.get("tool", "")
    record(Action.SWITCHED, request.user, target_name=tool, enabled=enabled, policy=policy)
    if request.headers.get("X-Requested-With") == "fetch":
        return HttpResponse(status=204)
    return redirect("tools:built_in")
