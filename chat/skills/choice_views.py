"""The part of a conversation's menu that chooses among skills."""

import json
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_http_methods, require_safe

from chat.agent import skill_choices
from chat.errors import Rejected
from chat.models import Conversation, LanguageModel, Preset
from db.public_ids import parse_public_id
from tools.rights import signed_in


@signed_in
@require_safe
def of_a_new_one(request: HttpRequest) -> HttpResponse:
    """What a conversation with `?model=` and `?preset=` would begin with."""
    preset = _named(Preset.objects.for_user(request.user), request.GET.get("preset"))
    if preset is None:
        models = LanguageModel.objects.for_user(request.user)
        model = _named(models, request.GET.get("model")) or models.first()
        preset = model.preset if model else None
    return _menu(request, preset.skills if preset else None, is_chosen=False)


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def of_a_conversation(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """A POST keeps what was chosen; without a `choice` it is the preset's again."""
    owned = Conversation.objects.for_user(request.user)
    found = get_object_or_404(owned.select_related("preset", "model__preset"), public_id=public_id)
    if request.method == "POST":
        try:
            found.skills = skill_choices.read_choice(_json(request.POST.get("choice")))
        except Rejected as error:
            return HttpResponseBadRequest(str(error))
        skill_choices.choose(found, found.skills)
    if found.skills is not None:
        return _menu(request, found.skills, is_chosen=True)
    preset = found.preset_with(found.model) if found.model else found.preset
    return _menu(request, preset.skills if preset else None, is_chosen=False)


def _menu(request: HttpRequest, patterns: list[str] | None, *, is_chosen: bool) -> HttpResponse:
    skills = skill_choices.menu(patterns, request.user)
    count = sum(one.is_on for one in skills)
    context = {"skills": skills, "count": count, "is_chosen": is_chosen}
    return render(request, "chat/_skills_menu.html", context)


def _named(rows: Any, text: str | None) -> Any:
    wanted = parse_public_id(text)
    return rows.filter(public_id=wanted).first() if wanted else None


def _json(text: str | None) -> Any:
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        return text  # which is no choice
