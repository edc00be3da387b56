"""The pages of assistants. A view fetches, calls one function, renders.

People make assistants of their own; by permission they publish them for everyone, and change all
that are the deployment's. One that somebody may neither choose nor change is not there for them
(404).
"""

import json
from uuid import UUID

from django.contrib import messages
from django.db import IntegrityError, transaction
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from audit.models import Action
from audit.recording import record, record_saved
from chat.agent.limits import deployment
from chat.agent.numbers import NUMBERS
from chat.errors import Rejected
from chat.models import Preset, PresetQuerySet
from chat.permissions import CHANGE_PRESET, may_change_presets
from chat.presets import interchange
from chat.presets.forms import NAME_TAKEN, PresetForm
from chat.presets.interchange import absent_tools, usable_tools
from db.users import AnyUser, signed_in_user
from limits.chat import MAX_PRESET_BYTES
from tools.grants import GrantForm
from tools.rights import requires, signed_in


@signed_in
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Those that this user may change, and what else they may choose."""
    rows = list(_counted(_visible(request.user)).prefetch_related("groups"))
    mine = [row for row in rows if row.owner_id == request.user.pk]
    others = [row for row in rows if row.owner_id is None]
    context = {"mine": mine, "others": others, "may_edit_others": may_change_presets(request.user)}
    return render(request, "assistants/index.html", context)


@signed_in
@require_safe
def preset(request: HttpRequest, public_id: UUID) -> HttpResponse:
    shown = get_object_or_404(_counted(_visible(request.user)), public_id=public_id)
    above = deployment()
    layer = shown.limits if isinstance(shown.limits, dict) else {}
    context = {
        "preset": shown,
        "may_edit": _may_edit(request.user, shown),
        "may_choose": shown.owner_id == request.user.pk or shown.published,
        "absent": absent_tools(shown, usable_tools(request.user)),
        "limits": [
            (number, layer[name], getattr(above, name))
            for name, number in NUMBERS.items()
            if name in layer
        ],
    }
    return render(request, "assistants/preset.html", context)


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def create(request: HttpRequest) -> HttpResponse:
    return _edit(request, Preset())


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, public_id: UUID) -> HttpResponse:
    return _edit(request, _editable(request, public_id))


@signed_in
@require_POST
def duplicate(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """A copy of this user's own, of anything that they may see."""
    copied = get_object_or_404(_visible(request.user), public_id=public_id)
    text = json.dumps(interchange.exported(copied))
    try:
        return _keep(request, interchange.imported(text, signed_in_user(request)))
    except Rejected as error:
        messages.error(
            request,
            gettext("%(name)s cannot be copied. %(error)s") % {"name": copied.name, "error": error},
        )
        return redirect("assistants:preset", public_id)


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def import_preset(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return render(request, "assistants/import.html")
    text = ""
    try:
        text = _given(request)
        return _keep(request, interchange.imported(text, signed_in_user(request)))
    except Rejected as error:
        context = {"text": text or request.POST.get("text", ""), "problem": str(error)}
        return render(request, "assistants/import.html", context, status=422)


@signed_in
@require_safe
def export(request: HttpRequest, public_id: UUID) -> HttpResponse:
    found = get_object_or_404(_visible(request.user), public_id=public_id)
    text = json.dumps(interchange.exported(found), ensure_ascii=False, indent=2) + "\n"
    response = HttpResponse(
        text.encode(errors="replace"), content_type="application/json; charset=utf-8"
    )
    response["Content-Disposition"] = 'attachment; filename="assistant.json"'
    return response


@requires(CHANGE_PRESET)
@require_POST
def publish(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """For everyone, or with `published=no` for nobody new. What is published is the deployment's
    from then on."""
    found = _editable(request, public_id)
    row = Preset.objects.filter(pk=found.pk)
    if request.POST.get("published") == "no":
        row.update(published=False)
        record(Action.UNPUBLISHED, request.user, found)
        messages.success(
            request,
            gettext("%(name)s is no longer published. Conversations that use it keep it.")
            % {"name": found.name},
        )
        return redirect("assistants:preset", public_id)
    try:
        with transaction.atomic():
            row.update(owner=None, published=True)
            record(Action.PUBLISHED, request.user, found)
    except IntegrityError:
        messages.error(
            request,
            gettext("There is a published assistant called %(name)s. Rename one.")
            % {"name": found.name},
        )
    else:
        messages.success(
            request,
            gettext("%(name)s is published. Everyone can choose it.") % {"name": found.name},
        )
    return redirect("assistants:preset", public_id)


@signed_in
@require_POST
def delete(request: HttpRequest, public_id: UUID) -> HttpResponse:
    deleted = _editable(request, public_id)
    if deleted.owner_id is None:
        record(Action.DELETED, request.user, deleted)
    deleted.delete()
    messages.success(
        request,
        gettext(
            "The assistant %(name)s was deleted. Conversations that used it keep their "
            "system prompt and otherwise use their model's default assistant."
        )
        % {"name": deleted.name},
    )
    return redirect("assistants:index")


def _edit(request: HttpRequest, edited: Preset) -> HttpResponse:
    user = signed_in_user(request)
    form = PresetForm(request.POST or None, instance=edited, user=user)
    # One's own is nobody else's.
    grant = None if edited.owner_id else GrantForm(request.POST or None, edited)
    is_valid = request.method == "POST" and form.is_valid() and (not grant or grant.is_valid())
    if is_valid and (saved := _saved(form)):
        if grant is not None:
            grant.give(user)
        if saved.owner_id is None:
            record_saved(request.user, saved, form, is_new=False)
        messages.success(request, gettext("%(name)s is saved.") % {"name": saved.name})
        return redirect("assistants:preset", saved.public_id)
    # A form that is refused has changed its instance.
    before = Preset.objects.filter(pk=edited.pk).first() if edited.pk else None
    context = {"form": form, "preset": before, "grant": grant}
    status = 422 if request.method == "POST" else 200
    return render(request, "assistants/form.html", context, status=status)


def _saved(form: PresetForm) -> Preset | None:
    """What was saved; None if somebody has taken the name this very moment."""
    try:
        with transaction.atomic():
            return form.save()
    except IntegrityError:
        form.add_error("name", NAME_TAKEN)
        return None


def _keep(request: HttpRequest, found: interchange.Imported) -> HttpResponse:
    kept = interchange.keep(found)
    messages.success(request, gettext("%(name)s is yours now.") % {"name": kept.name})
    for note in found.notes:
        messages.info(request, note)
    return redirect("assistants:preset", kept.public_id)


def _given(request: HttpRequest) -> str:
    """The file that was chosen, else what was pasted. Raises `Rejected`."""
    file = request.FILES.get("file")
    if file is None:
        return request.POST.get("text", "")
    if (file.size or 0) > MAX_PRESET_BYTES:
        raise Rejected(gettext("This file is too large for an assistant."))
    try:
        return bytes(file.read()).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Rejected(gettext("This is not a text file. Choose the exported JSON file.")) from None


def _visible(user: AnyUser) -> PresetQuerySet:
    """What this user may choose or change."""
    return (Preset.objects.for_user(user) | Preset.objects.editable_by(user)).select_related(
        "model__provider"
    )


def _counted(rows: PresetQuerySet) -> PresetQuerySet:
    conversations = Count("conversations", filter=Q(conversations__parent_call=None), distinct=True)
    models = Count("languagemodel", distinct=True)
    counted = rows.annotate(conversation_count=conversations, model_count=models)
    return counted.order_by("-published", "name")


def _editable(request: HttpRequest, public_id: UUID) -> Preset:
    return get_object_or_404(Preset.objects.editable_by(request.user), public_id=public_id)


def _may_edit(user: AnyUser, shown: Preset) -> bool:
    return shown.owner_id == user.pk or (shown.owner_id is None and may_change_presets(user))
