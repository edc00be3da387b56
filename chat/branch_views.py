"""Going to another branch of a conversation, the choice of one of several answers, and of who is to
answer again or side by side."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from chat.commands import branches, comparisons
from chat.errors import Rejected
from chat.models import Conversation, LanguageModel, Preset, Turn
from chat.views import page
from db.public_ids import parse_public_id
from db.users import signed_in_user
from limits.chat import MAX_COMPARED


@page
@require_POST
def switch(request: HttpRequest, public_id: UUID) -> HttpResponseBase:
    """Shows the branch on which `turn` (a public id) is; 409 with a sentence if there is none."""
    writable = Conversation.objects.writable_by(request.user).select_related("preset")
    conversation = get_object_or_404(writable, public_id=public_id)
    turn = parse_public_id(request.POST.get("turn"))
    try:
        if turn is None:
            raise Rejected(_("This message does not exist. It may have been deleted."))
        branches.switch(conversation, turn)
    except Rejected as error:
        return JsonResponse({"error": str(error)}, status=409)
    if request.headers.get("X-Requested-With") == "fetch":
        return HttpResponse(status=204)
    return redirect(conversation)


@page
@require_safe
def regenerate(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The menu of models and assistants that can answer a turn's question again."""
    writable = Turn.objects.writable_by(request.user).filter(conversation__parent_call=None)
    turn = get_object_or_404(writable.select_related("model", "conversation"), public_id=public_id)
    chosen = turn.conversation.preset_id
    is_owner = turn.conversation.owner_id == request.user.pk  # who chooses its assistant
    presets = Preset.objects.for_user(request.user) if is_owner else Preset.objects.none()
    context = {
        "turn": turn,
        "models": [
            one for one in LanguageModel.objects.choices(request.user) if one.pk != turn.model_id
        ],
        "presets": [one for one in presets if one.pk != chosen],
    }
    return render(request, "chat/_regenerate_menu.html", context)


@page
@require_POST
def choose(request: HttpRequest, public_id: UUID) -> HttpResponseBase:
    """Goes on with this one of several answers; 409 with a sentence if it cannot be chosen."""
    user = signed_in_user(request)
    turn = get_object_or_404(Turn.objects.for_user(user), public_id=public_id)
    try:
        comparisons.choose(user, turn.public_id)
    except Rejected as error:
        return JsonResponse({"error": str(error)}, status=409)
    if request.headers.get("X-Requested-With") == "fetch":
        return HttpResponse(status=204)
    return redirect(turn.conversation)


@page
@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """The menu of models and assistants that can answer side by side."""
    context = {
        "models": LanguageModel.objects.choices(request.user),
        "presets": Preset.objects.for_user(request.user),
        "most": MAX_COMPARED,
    }
    return render(request, "chat/_compare_menu.html", context)
