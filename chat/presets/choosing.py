"""The assistant and the limits of a conversation: chosen as it begins, and changed within it."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_http_methods

from chat.agent.limits import deployment, inherited
from chat.commands import conversations
from chat.errors import Rejected
from chat.models import Conversation, PersonalSettings, Preset
from chat.presets.fields import LimitsForm
from chat.presets.interchange import absent_tools, usable_tools
from languages.later import later
from tools.rights import signed_in

GONE = later("This assistant is no longer available. Choose another one.")


def picker(request: HttpRequest, of_project: UUID | None = None) -> dict[str, Any]:
    """What an empty page offers; `?assistant=` names the one that it begins with, else the project
    that it is for does, else the person's settings."""
    wanted = request.GET.get("assistant", "")
    rows = list(Preset.objects.for_user(request.user).select_related("model"))
    chosen = next((row for row in rows if str(row.public_id) == wanted.lower()), None)
    if not wanted:
        usual = PersonalSettings.of(request.user).preset_id
        chosen = next((row for row in rows if row.public_id == of_project), None)
        chosen = chosen or next((row for row in rows if row.pk == usual), None)
    there = usable_tools(request.user) if rows else set()
    offers = [(row, absent_tools(row, there)) for row in rows]
    return {
        "presets": rows,
        "offers": offers,
        "preset": chosen,
        "preset_is_gone": bool(wanted) and chosen is None,
    }


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def assistant(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The choice of another assistant, as a part of the page; a POST chooses."""
    conversation = _conversation(request, public_id)
    rows = list(Preset.objects.for_user(request.user))
    has_it = conversation.preset in rows or conversation.preset is None
    if not has_it and not conversation.preset_is_withheld():
        assert conversation.preset is not None
        rows.insert(0, conversation.preset)  # one that is unpublished stays for those that have it
    context: dict[str, Any] = {"conversation": conversation, "presets": rows}
    if request.method != "POST":
        return render(request, "assistants/_choice.html", context)
    try:
        chosen = _named(rows, request.POST.get("assistant", ""))
        conversations.choose_preset(conversation, chosen)
    except Rejected as error:
        context["problem"] = str(error)
        return render(request, "assistants/_choice.html", context, status=422)
    return render(request, "assistants/_choice.html", {**context, "is_saved": True})


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def limits(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The numbers of a conversation's own, as a part of the page; a POST keeps them."""
    conversation = _conversation(request, public_id)
    model, preset = conversation.model, conversation.preset
    chosen = conversation.preset_with(model) if model else preset
    form = LimitsForm(
        request.POST or None,
        layer=conversation.limits if isinstance(conversation.limits, dict) else {},
        above=inherited(chosen, model) if model or chosen else deployment(),
        may_raise=False,
    )
    is_saved = request.method == "POST" and form.is_valid()
    if is_saved:
        conversations.choose_limits(conversation, form.layer)
    context = {
        "conversation": conversation,
        "limits": form,
        "preset": chosen,
        "is_saved": is_saved,
    }
    refused = request.method == "POST" and not is_saved
    return render(request, "assistants/_limits.html", context, status=422 if refused else 200)


def _named(rows: list[Preset], public_id: str) -> Preset | None:
    """The one that was chosen; none for the model's. Raises `Rejected`."""
    if not public_id:
        return None
    found = next((row for row in rows if str(row.public_id) == public_id), None)
    if found is None:
        raise Rejected(GONE)
    return found


def _conversation(request: HttpRequest, public_id: UUID) -> Conversation:
    rows = Conversation.objects.for_user(request.user).top_level()
    return get_object_or_404(rows.select_related("model__preset", "preset"), public_id=public_id)
