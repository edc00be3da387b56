"""The facts that models remember of a person: listed, edited and erased by them, and by nobody
else."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from chat.agent import memory
from chat.errors import Rejected
from chat.models import Fact, PersonalSettings
from db.users import AnyUser, signed_in_user
from limits.chat import MAX_FACT, MAX_FACTS
from tools.rights import signed_in


def context(user: AnyUser) -> dict[str, Any]:
    facts = Fact.objects.for_user(user).select_related("conversation").order_by("number")
    return {
        "has_memory": PersonalSettings.of(user).has_memory,
        "facts": list(facts),
        "most_facts": MAX_FACTS,
        "most_characters": MAX_FACT,
    }


@signed_in
@require_POST
def switch(request: HttpRequest) -> HttpResponse:
    """Memory on, or (`enabled` absent) off; what is remembered stays until it is erased."""
    is_on = request.POST.get("enabled") == "on"
    PersonalSettings.change(request.user, has_memory=is_on)
    messages.success(request, _("Memory is on.") if is_on else _("Memory is off."))
    return _back()


@signed_in
@require_POST
def add(request: HttpRequest) -> HttpResponse:
    try:
        memory.keep(signed_in_user(request), request.POST.get("text", ""))
    except Rejected as error:
        messages.error(request, str(error))
    return _back()


@signed_in
@require_POST
def edit(request: HttpRequest, public_id: UUID) -> HttpResponse:
    fact = get_object_or_404(Fact.objects.for_user(request.user), public_id=public_id)
    try:
        text = memory.cleaned(request.POST.get("text", ""))
    except Rejected as error:
        messages.error(request, str(error))
        return _back()
    Fact.objects.filter(pk=fact.pk).update(text=text)
    messages.success(request, _("The fact is changed."))
    return _back()


@signed_in
@require_POST
def erase(request: HttpRequest, public_id: UUID) -> HttpResponse:
    get_object_or_404(Fact.objects.for_user(request.user), public_id=public_id).delete()
    messages.success(request, _("The fact is erased."))
    return _back()


@signed_in
@require_POST
def erase_all(request: HttpRequest) -> HttpResponse:
    Fact.objects.for_user(request.user).delete()
    messages.success(request, _("All facts are erased."))
    return _back()


def _back() -> HttpResponse:
    return redirect(f"{reverse('settings:index')}#memory")
