"""The first steps as a part of the empty home, and leaving them out."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from chat.first_steps.steps import are_over, steps
from chat.models import PersonalSettings
from db.users import signed_in_user
from tools.rights import signed_in


@signed_in
@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """The steps; the script asks again while one is running, and dismisses them once they are
    over."""
    found = steps(signed_in_user(request))
    context = {
        "steps": found,
        "is_running": any(step.state == "running" for step in found),
        "are_over": are_over(found),
    }
    return render(request, "chat/_first_steps.html", context)


@signed_in
@require_POST
def dismiss(request: HttpRequest) -> HttpResponse:
    """They are not shown to this person again."""
    PersonalSettings.change(request.user, has_begun=True)
    return HttpResponse(status=204)
